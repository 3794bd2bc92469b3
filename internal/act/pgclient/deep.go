package pgclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// With --deep the queries that are of one database are asked in each database that may be connected to, one connection
// after the other, and the answers are in one file with the name of the database before the columns of the query.

const (
	// mostDatabases is how many are asked, the largest first: with one for each
	// customer there are thousands, and a hundred are most of the bytes.
	mostDatabases = 100
	// databaseWithin bounds the stay in one of them, so that a slow one leaves
	// time for the others.
	databaseWithin = 30 * time.Second
	// elsewhereTimeout is the statement_timeout there, for the same reason.
	elsewhereTimeout = "15s"
	// mostRefused is after how many refusals the rest is left alone: each is in the log of the server, and what
	// pg_hba.conf says it says of them all.
	mostRefused = 3
)

// tour goes through the databases of one server.
type tour struct {
	r       *round
	cfg     *pgconn.Config // of the connection that was let in
	queries []pg.Query
	answers map[string]*pg.Rows
	why     map[string]evidence.Missing // of a query, its first failure
	visits  []pg.Visit
}

// eachDatabase asks the queries in the database that conn is connected to and
// then in the others, and adds the answers to the archive of r. It comes last:
// the sessions that it opens are counted by nothing any more.
func (r *round) eachDatabase(ctx context.Context, conn *pgconn.PgConn, cfg *pgconn.Config, queries []pg.Query) {
	t := &tour{r: r, cfg: cfg, queries: queries, answers: map[string]*pg.Rows{}, why: map[string]evidence.Missing{}}
	here := cfg.Database
	if access, ok := pg.ReadAccess(r.a, r.key).Get(); ok && access.Database != "" {
		here = access.Database
	}
	if r.lost == nil {
		r.lost = t.ask(ctx, conn, here, r.timeout)
	} else {
		t.left(here, plain(reason(r.lost), ""), "")
	}
	if dbs, ok := pg.ReadDatabases(r.a, r.key).Get(); ok {
		t.others(ctx, here, dbs)
	}
	t.write()
}

// others visits every database except the current one. Templates are skipped: while we are connected to template1, no
// database can be created. An invalid database accepts no connections.
func (t *tour) others(ctx context.Context, here string, dbs []pg.Database) {
	dbs = slices.DeleteFunc(slices.Clone(dbs), func(d pg.Database) bool {
		return d.Name == here || d.Template || !d.AllowConn || d.Invalid()
	})
	size := func(d pg.Database) unit.Bytes { n, _ := d.Size.Get(); return n }
	slices.SortStableFunc(dbs, func(a, b pg.Database) int { return cmp.Compare(size(b), size(a)) })
	asked, refused := 1, 0 // our own
	for _, d := range dbs {
		switch {
		case d.Closed:
			t.left(d.Name, "no right to connect to it", "GRANT CONNECT ON DATABASE … TO <role>")
		case asked >= mostDatabases:
			t.left(d.Name, fmt.Sprintf("%d databases are asked, the largest", mostDatabases),
				"name it in a connection string: dbname=…")
		case ctx.Err() != nil:
			t.left(d.Name, "the time for all databases was over", "name it in a connection string: dbname=…")
		case refused >= mostRefused:
			t.left(d.Name, fmt.Sprintf("%d databases before it refused the connection", mostRefused),
				"name it in a connection string: dbname=…")
		default:
			asked++
			if !t.visit(ctx, d.Name) {
				refused++
			}
		}
	}
}

// visit asks in one other database; false if we were not let in.
func (t *tour) visit(ctx context.Context, database string) bool {
	ctx, cancel := context.WithTimeout(ctx, databaseWithin)
	defer cancel()
	cfg := t.cfg.Copy()
	cfg.Database = database
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		t.left(database, "not let in: "+reason(err), "")
		return false
	}
	defer conn.Close(ctx)
	t.ask(ctx, conn, database, elsewhereTimeout)
	return true
}

// ask asks all queries in one database and notes those that were not answered.
// The error is that the connection was lost.
func (t *tour) ask(ctx context.Context, conn *pgconn.PgConn, database, timeout string) error {
	one := round{a: evidence.New(), key: t.r.key, timeout: timeout, session: &Session{}, w: answer{}}
	one.ask(ctx, conn, segments(t.queries))
	all := true
	for _, q := range t.queries {
		b, err := one.a.ReadFile(pg.Path(t.r.key, q.Name))
		if err == nil {
			err = t.take(q.Name, database, b)
		}
		var m *evidence.Missing
		switch {
		case err == nil:
			t.r.answered++
			continue
		case !errors.As(err, &m):
			m = &evidence.Missing{State: known.Unread, Reason: err.Error()}
		}
		all = false
		if _, again := t.why[q.Name]; !again {
			t.why[q.Name] = *m
		}
		t.visits = append(t.visits, pg.Visit{Database: database, Query: q.Name, Reason: m.Reason, Reveal: m.Reveal})
	}
	if all {
		t.visits = append(t.visits, pg.Visit{Database: database})
	}
	return one.lost
}

// take puts the rows of one database to those of the others.
func (t *tour) take(query, database string, b []byte) error {
	var rows pg.Rows
	if err := json.Unmarshal(b, &rows); err != nil {
		return err
	}
	sum := t.answers[query]
	if sum == nil {
		sum = &pg.Rows{Columns: append([]string{pg.DatabaseColumn}, rows.Columns...)}
		t.answers[query] = sum
	}
	if len(rows.Columns)+1 != len(sum.Columns) {
		return errors.New("the columns are not those of the other databases")
	}
	for _, row := range rows.Rows {
		sum.Rows = append(sum.Rows, append([]*string{&database}, row...))
	}
	return nil
}

// left notes a database that was not asked.
func (t *tour) left(database, why, reveal string) {
	t.visits = append(t.visits, pg.Visit{Database: database, Reason: why, Reveal: reveal})
}

// write adds the answers. A query that no database answered is missing for the
// reason that the first one gave.
func (t *tour) write() {
	for _, q := range t.queries {
		if sum := t.answers[q.Name]; sum != nil {
			t.add(q.Name, sum)
			continue
		}
		m, ok := t.why[q.Name]
		if !ok {
			m = evidence.Missing{State: known.Unread, Reason: t.visits[0].Reason} // our own was left, and with it all
		}
		m.Name, m.Unnoted = pg.Path(t.r.key, q.Name), false
		t.r.a.AddMissing(m)
	}
	visits := pg.Rows{Columns: []string{pg.DatabaseColumn, "query", "reason", "reveal"}}
	for i := range t.visits {
		v := &t.visits[i]
		visits.Rows = append(visits.Rows, []*string{&v.Database, &v.Query, &v.Reason, &v.Reveal})
	}
	t.add(pg.VisitsQuery, &visits)
}

func (t *tour) add(query string, rows *pg.Rows) {
	var w answer
	w.columns(rows.Columns)
	for _, row := range rows.Rows {
		values := make([][]byte, len(row))
		for i, v := range row {
			if v != nil {
				values[i] = []byte(*v)
			}
		}
		w.row(values)
	}
	if err := t.r.a.Add(pg.Path(t.r.key, query), w.bytes()); err != nil {
		t.r.a.AddMissing(evidence.Missing{Name: pg.Path(t.r.key, query), State: known.Unread, Reason: err.Error()})
	}
}
