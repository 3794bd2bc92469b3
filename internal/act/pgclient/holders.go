package pgclient

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// A session that has locked a system catalog keeps all others from planning queries, and, if a new session reads that
// catalog, also from connecting. Most catalogs are of one database: from another one the locks of the whole server are
// seen. The shared ones (pg_authid, pg_database, pg_db_role_setting) block connections to every database; then only the
// process titles can be read.

// holdersWithin bounds the asking, second connection included: a server that
// answers does so in a hundredth of it, and the rest of the host waits.
const holdersWithin = 2 * time.Second

// waited reports whether an answer is missing because it took too long.
func waited(a *evidence.Archive, key string) bool {
	for _, f := range pg.ReadSilence(a, key).Failed {
		if f.Cause.Kind() == pg.Waits {
			return true
		}
	}
	return false
}

// askHolders asks who holds the catalogs: in this connection, else in another
// database.
func askHolders(ctx context.Context, a *evidence.Archive, key string, conn *pgconn.PgConn, cfg *pgconn.Config) {
	err := holdersFrom(ctx, a, key, conn)
	if err != nil && cfg.Database != lastDatabase {
		if e := holdersAt(ctx, a, key, cfg); e == nil {
			err = nil
		}
	}
	noHolders(a, key, err)
}

// HoldersElsewhere asks in another database than the one whose connection did
// not come to be in time.
func (c Connect) HoldersElsewhere(ctx context.Context, a *evidence.Archive, key string, err error) {
	if CauseOf(err) != pg.TimedOut {
		return
	}
	attempts, e := c.attempts()
	if e != nil || len(attempts) == 0 || attempts[0].Database == lastDatabase {
		return
	}
	noHolders(a, key, holdersAt(ctx, a, key, attempts[0]))
}

// holdersAt asks in the database that every cluster has.
func holdersAt(ctx context.Context, a *evidence.Archive, key string, cfg *pgconn.Config) error {
	ctx, cancel := context.WithTimeout(ctx, holdersWithin)
	defer cancel()
	other := cfg.Copy()
	other.Database = lastDatabase
	conn, err := pgconn.ConnectConfig(ctx, other)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return holdersFrom(ctx, a, key, conn)
}

// holdersFrom asks over a connection; an error means that the holders are not
// known, as their names may be.
func holdersFrom(ctx context.Context, a *evidence.Archive, key string, conn *pgconn.PgConn) error {
	queries, err := pg.HolderQueries()
	if err != nil {
		return err
	}
	r := round{a: evidence.New(), key: key, timeout: statementTimeout, session: &Session{}}
	r.ask(ctx, conn, segments(queries))
	if r.lost != nil {
		return r.lost
	}
	for _, n := range r.a.Names() {
		if b, err := r.a.ReadFile(n); err == nil {
			if err := a.Add(n, b); err != nil {
				return err
			}
		}
	}
	_, err = r.a.ReadFile(pg.Path(key, pg.HoldersQuery))
	return err
}

// noHolders notes why it is unknown which sessions hold the catalogs.
func noHolders(a *evidence.Archive, key string, err error) {
	if err == nil {
		return
	}
	m := evidence.Missing{State: known.Unread, Reason: plain(reason(err), ""), Cause: string(CauseOf(err))}
	var noted *evidence.Missing
	if errors.As(err, &noted) {
		m = *noted
	}
	m.Name = pg.Path(key, pg.HoldersQuery)
	a.AddMissing(m)
}
