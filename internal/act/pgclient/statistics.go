package pgclient

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// Before 15 a backend that reads any statistics has the collector write those of every table and index of its database
// into a file, and reads it: with 20,000 tables 8 MB and more time than all the rest of a check. What is asked without
// --deep is of the whole cluster and the same from every database, so it is asked in one that has no tables.

const (
	// catalogueLarge is the size of pg_class from which that is worth a second
	// connection: 10,000 tables, indexes and TOAST tables, whose statistics take
	// longer to write and read than a backend to start.
	catalogueLarge = 2 * unit.MB
	// secondWithin bounds the second connection. While a database is being created from template1, it accepts no
	// connections; the statistics are then read in the current database.
	secondWithin = 300 * time.Millisecond
)

// catalogueSize is asked of the database that we are in.
var catalogueSize = pg.Query{Name: "catalogue", SQL: "select pg_relation_size('pg_class'::regclass)"}

// everything asks all segments, those of the statistics last and in a database
// without tables where the statistics of this one are large. It returns what the
// server skipped.
func (r *round) everything(ctx context.Context, how Connect, conn *pgconn.PgConn, cfg *pgconn.Config,
	all [][]pg.Query) (skipped [][]pg.Query) {
	if !r.manyTables(ctx, how, conn, cfg, all) {
		return r.ask(ctx, conn, all)
	}
	statistics, others := apart(all)
	// The others first: a second session must not be counted among those there are.
	skipped = r.ask(ctx, conn, others)
	second := quieter(ctx, cfg)
	if second == nil {
		return append(skipped, r.ask(ctx, conn, statistics)...)
	}
	defer second.Close(ctx)
	apart := round{a: evidence.New(), key: r.key, timeout: r.timeout, session: &Session{}}
	more := apart.ask(ctx, second, statistics)
	if apart.lost != nil {
		return append(skipped, r.ask(ctx, conn, statistics)...)
	}
	for _, n := range apart.a.Names() {
		if b, err := apart.a.ReadFile(n); err == nil && r.a.Add(n, b) == nil {
			r.answered++
		}
	}
	for _, m := range apart.a.MissingFiles() {
		r.a.AddMissing(m)
	}
	return append(skipped, more...)
}

// manyTables reports whether the statistics are better asked elsewhere. It is for sockets only: who named a database in
// a connection string may have been given the right to that one alone, and a refusal is in the server's log.
func (r *round) manyTables(ctx context.Context, how Connect, conn *pgconn.PgConn, cfg *pgconn.Config,
	all [][]pg.Query) bool {
	statistics, _ := apart(all)
	if len(statistics) == 0 || how.SocketDir == "" || cfg.Database == lastDatabase {
		return false
	}
	probe := round{a: evidence.New(), key: r.key, timeout: r.timeout, session: &Session{}}
	probe.ask(ctx, conn, [][]pg.Query{{catalogueSize}})
	r.lost = probe.lost
	return r.lost == nil && probe.session.catalogue >= catalogueLarge
}

// quieter returns a second connection of the same role, to a database without tables; nil if none is available.
func quieter(ctx context.Context, cfg *pgconn.Config) *pgconn.PgConn {
	ctx, cancel := context.WithTimeout(ctx, secondWithin)
	defer cancel()
	other := cfg.Copy()
	other.Database = lastDatabase
	second, err := pgconn.ConnectConfig(ctx, other)
	if err != nil {
		return nil
	}
	return second
}

// apart splits the segments into those that are read from the file of the
// statistics and the others.
func apart(all [][]pg.Query) (statistics, others [][]pg.Query) {
	for _, seg := range all {
		if seg[0].Together == pg.Statistics {
			statistics = append(statistics, seg)
		} else {
			others = append(others, seg)
		}
	}
	return statistics, others
}

// noticeSize keeps what catalogueSize reported.
func (s *Session) noticeSize(values [][]byte) {
	if n, err := strconv.ParseInt(string(values[0]), 10, 64); err == nil {
		s.catalogue = unit.Bytes(n)
	}
}
