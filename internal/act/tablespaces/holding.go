package tablespaces

import (
	"context"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
)

// Holding asks a server what its tablespaces hold: their sizes, and in each database that lets us in the tables and
// indexes. What is closed to the role is unknown.
func (l *Looker) Holding(ctx context.Context, in *snapshot.Instance) (tablespaces.Holding, error) {
	h := tablespaces.Holding{Sizes: map[int64]unit.Bytes{}, Temp: map[int64]tablespaces.Amount{},
		Contents: map[int64][]tablespaces.Content{}, Default: map[int64][]string{}}
	s, err := Session(ctx, l.Server, in, "")
	if err != nil {
		return h, err
	}
	sizes(ctx, s, &h)
	databases, err := s.Rows(ctx, `select datname::text, dattablespace::text,
 (datallowconn and has_database_privilege(oid, 'connect'))::text from pg_database order by 1`)
	s.Release()
	if err != nil {
		return h, say.Named("pg_database", err)
	}
	for _, d := range databases {
		oid, err := strconv.ParseInt(d[1], 10, 64)
		if err != nil {
			return h, say.Named("dattablespace", err)
		}
		h.Default[oid] = append(h.Default[oid], d[0])
		if err := ctx.Err(); err != nil {
			return h, err
		}
		switch {
		case d[2] == "true":
			l.contents(ctx, in, d[0], &h)
		case d[0] != "template0": // it holds what template1 does, and nobody gets in
			unknown(&h, say.M("contents of database {name}", "name", say.Quoted(d[0])),
				say.M("the role may not connect to it"), say.M("GRANT CONNECT ON DATABASE"))
		}
	}
	return h, nil
}

func unknown(h *tablespaces.Holding, fact, reason, reveal say.Message) {
	h.Unknown = gap.Add(h.Unknown, gap.Gap{Fact: fact, Reason: reason, Reveal: reveal})
}

// sizes asks for the sizes of all tablespaces, and of the temporary files in them. Each is asked for alone: one that is
// closed or damaged must not hide the others.
func sizes(ctx context.Context, s *pgctl.Session, h *tablespaces.Holding) {
	rows, err := s.Rows(ctx, `select oid::text, spcname::text from pg_tablespace order by oid`)
	if err != nil {
		unknown(h, say.M("sizes of the tablespaces"), say.OfError(err), say.Message{})
		return
	}
	for _, r := range rows {
		oid, _ := strconv.ParseInt(r[0], 10, 64) // an oid of the server
		size, err := s.Rows(ctx, `select pg_tablespace_size($1::oid)::text`, r[0])
		if n, ok := number(size, 0); err == nil && ok {
			h.Sizes[oid] = unit.Bytes(n)
		} else {
			unknown(h, say.M("size of tablespace {name}", "name", say.Quoted(r[1])), say.OfError(err),
				say.M("GRANT pg_monitor TO <role>"))
		}
		if r[1] == "pg_global" {
			continue // temporary files are in none of shared catalogs
		}
		temp, err := s.Rows(ctx, `select count(*)::text, coalesce(sum(size), 0)::text from pg_ls_tmpdir($1::oid)`, r[0])
		n, ok1 := number(temp, 0)
		bytes, ok2 := number(temp, 1)
		if err == nil && ok1 && ok2 {
			h.Temp[oid] = tablespaces.Amount{Count: n, Bytes: unit.Bytes(bytes)}
		} else {
			unknown(h, say.M("temporary files in tablespace {name}", "name", say.Quoted(r[1])), say.OfError(err),
				say.M("GRANT pg_monitor TO <role>"))
		}
	}
}

// number is a column of the only row.
func number(rows [][]string, column int) (int64, bool) {
	if len(rows) != 1 || column >= len(rows[0]) {
		return 0, false
	}
	n, err := strconv.ParseInt(rows[0][column], 10, 64)
	return n, err == nil
}

// contentsSQL adds up what a database has in each tablespace. Sizes are those of the files: estimates of the planner
// are 0 where nothing was vacuumed. Shared catalogs are in each database and in none.
const contentsSQL = `select coalesce(nullif(c.reltablespace, 0), d.dattablespace)::text,
 case when c.relpersistence = 't' then 'temporary' when n.nspname = 'pg_toast' then 'toast'
 when c.oid < 16384 or c.relkind = 'S' then 'system' when c.relkind = 'i' then 'indexes' else 'tables' end,
 count(*)::text, coalesce(sum(pg_relation_size(c.oid) + pg_relation_size(c.oid, 'fsm') + pg_relation_size(c.oid, 'vm')),
 0)::bigint::text
 from pg_class c join pg_namespace n on n.oid = c.relnamespace, pg_database d
 where d.datname = current_database() and c.relkind in ('r', 'm', 'i', 't', 'S') and not c.relisshared
 group by 1, 2 order by 1, 2`

// contents asks one database what it has where.
func (l *Looker) contents(ctx context.Context, in *snapshot.Instance, database string, h *tablespaces.Holding) {
	fact := say.M("contents of database {name}", "name", say.Quoted(database))
	s, err := Session(ctx, l.Server, in, database)
	if err != nil {
		unknown(h, fact, say.OfError(err), say.Message{})
		return
	}
	defer s.Release()
	rows, err := s.Rows(ctx, contentsSQL)
	if err != nil {
		unknown(h, fact, say.OfError(err), say.Message{})
		return
	}
	of := map[int64]*tablespaces.Content{}
	var order []int64
	for _, r := range rows {
		oid, _ := strconv.ParseInt(r[0], 10, 64) // all are numbers of the server
		n, _ := strconv.ParseInt(r[2], 10, 64)
		b, _ := strconv.ParseInt(r[3], 10, 64)
		c := of[oid]
		if c == nil {
			c = &tablespaces.Content{Database: database}
			of[oid], order = c, append(order, oid)
		}
		a := tablespaces.Amount{Count: n, Bytes: unit.Bytes(b)}
		switch r[1] {
		case "temporary":
			c.Temporary = a
		case "toast":
			c.Toast = a
		case "system":
			c.System = a
		case "indexes":
			c.Indexes = a
		default:
			c.Tables = a
		}
	}
	for _, oid := range order {
		h.Contents[oid] = append(h.Contents[oid], *of[oid])
	}
}

// Rooms asks the filesystems that could hold a tablespace for their size.
func (l *Looker) Rooms(s *snapshot.Snapshot, in *snapshot.Instance) (out []host.Space) {
	for _, m := range tablespaces.Candidates(s, in) {
		if at, err := l.Target.Statfs(m.Point); err == nil { // what is closed to us holds nothing of ours
			out = append(out, host.Space{Path: m.Point, Total: unit.Bytes(at.Total), Free: unit.Bytes(at.Free),
				Files: at.Files, FFree: at.FFree})
		}
	}
	return out
}
