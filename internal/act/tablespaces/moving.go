package tablespaces

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
)

// Moving asks what a move of objects of one database would meet.
func (l *Looker) Moving(ctx context.Context, in *snapshot.Instance, w tablespaces.MoveWanted) (f tablespaces.MoveFound,
	err error) {
	s, err := Session(ctx, l.Server, in, w.Database)
	if err != nil {
		return f, err
	}
	defer s.Release()
	f.Label, f.Role, f.Major = in.Label(), s.Role, s.Version/10000
	f.Manager, _ = in.Manager.Get()
	rows, err := s.Rows(ctx, `select current_database()::text, pg_is_in_recovery()::text, (t.oid is not null)::text,
 coalesce(has_tablespace_privilege(t.oid, 'create'), false)::text, current_setting('wal_level'),
 (current_setting('archive_mode') <> 'off')::text,
 (select count(*) from pg_stat_replication where coalesce(state, '') <> 'backup')::text,
 coalesce(pg_tablespace_location(t.oid), '')
 from (values (1)) one left join pg_tablespace t on t.spcname::text = $1::text`, w.To)
	if err != nil || len(rows) != 1 {
		return f, errors.Join(say.Err("the server's own account of itself"), err)
	}
	r := rows[0]
	f.Database, f.Standby, f.ToExists, f.MayUse = r[0], r[1] == "true", r[2] == "true", r[3] == "true"
	f.WALLevel, f.Archiving = r[4], r[5] == "true"
	if f.Replicas, err = strconv.Atoi(r[6]); err != nil {
		return f, err
	}
	if f.ToExists {
		l.room(in, r[7], &f)
	}
	if err := l.objects(ctx, s, w, &f); err != nil {
		return f, err
	}
	f.Objects = tablespaces.Ordered(f.Objects)
	return f, nil
}

// room looks how much there is on the filesystem of a tablespace; a location that is empty is the data directory's.
func (l *Looker) room(in *snapshot.Instance, location string, f *tablespaces.MoveFound) {
	dir, view, err := l.dataDir(in)
	if err != nil {
		return // of another host: it is not known
	}
	at := path.Join(dir, "base")
	if location != "" {
		at = location
	}
	if space, err := view.Statfs(at); err == nil {
		free := unit.Bytes(space.Free)
		f.Free, f.Point = &free, at
	}
}

// objectSQL says of relations what decides whether and how they are moved.
const objectSQL = `select n.nspname::text, c.relname::text, c.oid::text, c.relkind::text,
 coalesce(t.spcname, dt.spcname)::text,
 coalesce((select tn.nspname::text from pg_namespace tn where tn.oid = ic.relnamespace), ''),
	coalesce(ic.relname::text, ''),
 pg_relation_size(c.oid) + pg_relation_size(c.oid, 'fsm') + pg_relation_size(c.oid, 'vm') as size,
 case when c.reltoastrelid <> 0 then pg_total_relation_size(c.reltoastrelid) else 0 end as toast,
 (c.relpersistence = 't')::text, (c.oid < 16384 or n.nspname in ('pg_catalog', 'information_schema'))::text,
 c.relisshared::text, pg_has_role(c.relowner, 'usage')::text,
 coalesce(i.indisvalid and not i.indisexclusion, false)::text,
 coalesce((select quote_ident(xn.nspname) || '.' || quote_ident(x.relname) from pg_index xi
   join pg_class x on x.oid = xi.indexrelid join pg_namespace xn on xn.oid = x.relnamespace
   where xi.indrelid = i.indrelid and not xi.indisvalid and x.relname ~ '_cc(new|old)[0-9]*$'
   and starts_with(c.relname::text, regexp_replace(x.relname::text, '_cc(new|old)[0-9]*$', '')) limit 1), '')
 from pg_class c join pg_namespace n on n.oid = c.relnamespace
 join pg_database d on d.datname = current_database() join pg_tablespace dt on dt.oid = d.dattablespace
 left join pg_tablespace t on t.oid = c.reltablespace
 left join pg_index i on i.indexrelid = c.oid left join pg_class ic on ic.oid = i.indrelid
 where `

// objects finds what is to be moved: all of a tablespace, or what is named, with the indexes of a table.
func (l *Looker) objects(ctx context.Context, s *pgctl.Session, w tablespaces.MoveWanted,
	f *tablespaces.MoveFound) error {
	if w.AllIn != "" {
		rows, err := s.Rows(ctx, objectSQL+`c.relkind in ('r', 'm', 'i') and c.relpersistence <> 't' and c.oid >= 16384
 and n.nspname <> 'pg_toast' and not c.relisshared and coalesce(t.spcname, dt.spcname)::text = $1::text`, w.AllIn)
		if err != nil {
			return say.Named("pg_class", err)
		}
		return l.take(ctx, s, rows, f)
	}
	for _, name := range w.Objects {
		// a name without a schema is that of a relation in any schema but the system's
		rows, err := s.Rows(ctx, objectSQL+`c.oid = any (select p.oid from pg_class p
   join pg_namespace pn on pn.oid = p.relnamespace, parse_ident($1::text) w
   where p.relname::text = w[cardinality(w)] and (cardinality(w) = 2 and pn.nspname::text = w[1]
    or cardinality(w) = 1 and pn.nspname not in ('pg_catalog', 'information_schema', 'pg_toast'))
   union select ix.indexrelid from pg_index ix join pg_class p on p.oid = ix.indrelid
   join pg_namespace pn on pn.oid = p.relnamespace, parse_ident($1::text) w
   where p.relkind in ('r', 'm') and p.relname::text = w[cardinality(w)] and (cardinality(w) = 2 and
    pn.nspname::text = w[1] or cardinality(w) = 1 and pn.nspname not in ('pg_catalog', 'information_schema',
	'pg_toast')))`,
			name)
		if err != nil {
			return say.Named(say.Quoted(name), err)
		}
		if len(rows) == 0 {
			f.Missing = append(f.Missing, name)
			continue
		}
		if err := several(name, rows); err != nil {
			return err
		}
		if err := l.take(ctx, s, rows, f); err != nil {
			return err
		}
	}
	return nil
}

// several refuses a name that is one of several schemas.
func several(name string, rows [][]string) error {
	var in []string
	for _, r := range rows {
		in = append(in, r[0]) // an index is in the schema of its table
	}
	slices.Sort(in)
	if in = slices.Compact(in); len(in) < 2 {
		return nil
	}
	return say.Usage(say.M("{name} is in several schemas: {names}", "name", say.Quoted(name), "names", say.Names(in,
		5)),
		say.M("name it as SCHEMA.NAME"))
}

// take reads rows of objectSQL.
func (l *Looker) take(ctx context.Context, s *pgctl.Session, rows [][]string, f *tablespaces.MoveFound) error {
	for _, r := range rows {
		o := tablespaces.Object{Schema: r[0], Name: r[1], Kind: r[3], Space: r[4], Temporary: r[9] == "true",
			System: r[10] == "true", Shared: r[11] == "true", Mine: r[12] == "true", Concurrently: r[13] == "true",
			Leftover: r[14]}
		var numbers [3]int64
		for i, at := range []int{2, 7, 8} {
			n, err := strconv.ParseInt(r[at], 10, 64)
			if err != nil {
				return say.Named("pg_class", err)
			}
			numbers[i] = n
		}
		o.OID, o.Size, o.Toast = numbers[0], unit.Bytes(numbers[1]), unit.Bytes(numbers[2])
		if r[6] != "" {
			o.Table = (&tablespaces.Object{Schema: r[5], Name: r[6]}).Full()
		}
		if slices.ContainsFunc(f.Objects, func(p tablespaces.Object) bool { return p.OID == o.OID }) {
			continue
		}
		var err error
		if o.Kind == "p" || o.Kind == "I" {
			if o.Children, err = childrenOf(ctx, s, r[2]); err != nil {
				return err
			}
		}
		if o.Holders, err = Holders(ctx, s, o.OID); err != nil {
			return err
		}
		f.Objects = append(f.Objects, o)
	}
	return nil
}

// childrenOf are the partitions of a table or an index, as they would be named.
func childrenOf(ctx context.Context, s *pgctl.Session, oid string) (out []string, err error) {
	rows, err := s.Rows(ctx, `select quote_ident(n.nspname) || '.' || quote_ident(c.relname) from pg_inherits h
 join pg_class c on c.oid = h.inhrelid join pg_namespace n on n.oid = c.relnamespace
 where h.inhparent = $1::oid order by 1 limit 100`, oid)
	if err != nil {
		return nil, say.Named("pg_inherits", err)
	}
	for _, r := range rows {
		out = append(out, r[0])
	}
	return out, nil
}

// Holders are the other sessions that hold a lock on a relation, the oldest first.
func Holders(ctx context.Context, s *pgctl.Session, oid int64) (out []tablespaces.Holder, err error) {
	rows, err := s.Rows(ctx,
		`select l.pid::text, coalesce(a.usename::text, ''), coalesce(a.application_name, ''), l.mode,
 coalesce(floor(extract(epoch from now() - a.xact_start)), 0)::bigint::text
 from pg_locks l left join pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'relation' and l.relation = $1::oid and l.granted and l.pid <> pg_backend_pid()
 and l.database = (select oid from pg_database where datname = current_database())
 order by a.xact_start limit 5`, strconv.FormatInt(oid, 10))
	if err != nil {
		return nil, say.Named("pg_locks", err)
	}
	for _, r := range rows {
		pid, err1 := strconv.Atoi(r[0])
		seconds, err2 := strconv.ParseInt(r[4], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, say.Named("pg_locks", err)
		}
		out = append(out, tablespaces.Holder{PID: pid, Role: r[1], Program: r[2], Mode: r[3], Seconds: seconds})
	}
	return out, nil
}
