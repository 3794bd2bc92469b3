package relation

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/tablespaces"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	judged "github.com/pgfettle/pgfettle/internal/judge/tablespaces"
)

// Kind is the kind of that knob. Its live value is the name of the tablespace, that of the database where the relation
// has none of its own. ALTER … SET TABLESPACE moves a relation as a whole or not at all. An index is rebuilt beside the
// old one where the server can; what a rebuild leaves that was cut short is an invalid index, which the next Set drops.
type Kind struct {
	Server *pgctl.Server
	Tell   func(string)
}

var (
	_ apply.Kind    = (*Kind)(nil)
	_ apply.Partial = (*Kind)(nil)
)

const (
	// atWork ends a live value while a session of an earlier process still moves the relation.
	atWork = " (being moved by an earlier process)"
	// gone is the live value of a relation that does not exist: it was dropped or renamed.
	gone = "gone, as there is no such relation"
)

// found is a relation as the catalog has it.
type found struct {
	oid       int64
	kind      string // relkind
	space     string
	gently    bool // a rebuild beside the old one is possible
	leftovers []string
}

// session connects to the database of a relation.
func (r *Kind) session(ctx context.Context, k apply.Knob) (s *pgctl.Session, schema, name string, err error) {
	database, schema, name, ok := k.Address.Relation()
	if !ok {
		return nil, "", "", fmt.Errorf("%s is not the address of a relation", k.Address)
	}
	s, err = tablespaces.Session(ctx, r.Server, k.Instance, database)
	return s, schema, name, err
}

// look asks the catalog; nil: there is no such relation.
func look(ctx context.Context, s *pgctl.Session, schema, name string) (*found, error) {
	rows, err := s.Rows(ctx, `select c.oid::text, c.relkind::text, coalesce(t.spcname, dt.spcname)::text,
 coalesce(i.indisvalid and not i.indisexclusion, false)::text, coalesce(i.indrelid, 0)::text
 from pg_class c join pg_namespace n on n.oid = c.relnamespace
 join pg_database d on d.datname = current_database() join pg_tablespace dt on dt.oid = d.dattablespace
 left join pg_tablespace t on t.oid = c.reltablespace left join pg_index i on i.indexrelid = c.oid
 where n.nspname::text = $1::text and c.relname::text = $2::text`, schema, name)
	if err != nil {
		return nil, say.Named("pg_class", err)
	}
	if len(rows) != 1 {
		return nil, nil
	}
	f := &found{kind: rows[0][1], space: rows[0][2], gently: rows[0][3] == "true" && s.Version >= 140000}
	if f.oid, err = strconv.ParseInt(rows[0][0], 10, 64); err != nil {
		return nil, say.Named("pg_class", err)
	}
	if f.kind != "i" {
		return f, nil
	}
	// as REINDEX CONCURRENTLY names them, which cuts the name of the index where it is long
	rows, err = s.Rows(ctx, `select quote_ident(n.nspname) || '.' || quote_ident(x.relname) from pg_index i
 join pg_class x on x.oid = i.indexrelid join pg_namespace n on n.oid = x.relnamespace
 where i.indrelid = $1::oid and not i.indisvalid and x.relname ~ '_cc(new|old)[0-9]*$'
 and starts_with($2::text, regexp_replace(x.relname::text, '_cc(new|old)[0-9]*$', '')) order by 1`, rows[0][4], name)
	if err != nil {
		return nil, say.Named("pg_index", err)
	}
	for _, row := range rows {
		f.leftovers = append(f.leftovers, row[0])
	}
	return f, nil
}

// Look implements Kind.
func (r *Kind) Look(ctx context.Context, k apply.Knob) (st journal.State, err error) {
	s, schema, name, err := r.session(ctx, k)
	if err != nil {
		return st, err
	}
	defer s.Release()
	f, err := look(ctx, s, schema, name)
	if err != nil {
		return st, err
	}
	live := gone
	if f != nil {
		live = f.space
	}
	pid, err := tablespaces.AtWork(ctx, s, k.Address)
	if err != nil {
		return st, err
	}
	if pid != 0 {
		live += atWork
	}
	st.Live = &live
	return st, nil
}

// Want implements Kind.
func (r *Kind) Want(_ journal.State, _ apply.Knob, value string) (journal.State, error) {
	return journal.State{Live: &value}, nil
}

// Halfway implements Partial: a session of an earlier process may still move it.
func (r *Kind) Halfway(now, was, will journal.State, _ apply.Knob) bool {
	if now.Live == nil || was.Live == nil || will.Live == nil {
		return false
	}
	at, cut := strings.CutSuffix(*now.Live, atWork)
	return cut && (at == *was.Live || at == *will.Live)
}

// Ours implements Kind.
func (r *Kind) Ours(now, after journal.State, _ apply.Knob) bool { return now.SameLive(after) }

// Without implements Kind.
func (r *Kind) Without(_, before journal.State, _ apply.Knob) (journal.State, error) {
	return before, nil
}

// Set implements Kind.
func (r *Kind) Set(ctx context.Context, k apply.Knob, want journal.State) error {
	if want.Live == nil {
		return nil
	}
	s, schema, name, err := r.session(ctx, k)
	if err != nil {
		return err
	}
	defer s.Release()
	release, err := tablespaces.Hold(ctx, s, k.Address, r.Tell)
	if err != nil {
		return err
	}
	defer release()
	// else each statement is refused where it is on
	if err := s.Exec(ctx, "SET default_transaction_read_only = off"); err != nil {
		return err
	}
	f, err := look(ctx, s, schema, name)
	if err != nil {
		return err
	}
	if f == nil {
		return say.Err("there is no relation {name} any more", "name", say.Quoted(schema+"."+name))
	}
	if err := r.sweep(ctx, s, k, f); err != nil {
		return err
	}
	if f.space == *want.Live {
		return nil
	}
	if err := r.move(ctx, s, k, f, judged.MoveSQL(f.kind, schema, name, *want.Live, f.gently)); err != nil {
		return err
	}
	if f.kind != "i" || !f.gently {
		return nil
	}
	if f, err = look(ctx, s, schema, name); err != nil || f == nil {
		return err
	}
	return r.sweep(ctx, s, k, f)
}

// sweep drops what a rebuild that was cut short has left. Before a move began there was none: it is refused then.
func (r *Kind) sweep(ctx context.Context, s *pgctl.Session, k apply.Knob, f *found) error {
	for _, name := range f.leftovers {
		r.Tell(fmt.Sprintf("%s: dropping %s, which a rebuild that was cut short has left", k.Address, name))
		if err := s.Exec(ctx, "SET lock_timeout = 0"); err != nil {
			return err
		}
		if err := s.Long(ctx, "DROP INDEX CONCURRENTLY IF EXISTS "+name); err != nil {
			return say.Named("DROP INDEX", err)
		}
	}
	return nil
}

const (
	// lockWait is how long a statement waits for its lock: whoever comes after it waits as well.
	lockWait = "'3s'"
	// tries is how often it is tried, tryPause apart, so that those who queued behind it get through.
	tries       = 20
	tryPause    = 2 * time.Second
	lockTimeout = "55P03" // lock_not_available
)

// move runs the statement. One that takes the strongest lock gives up after lockWait and is tried again; a rebuild
// beside the old index stops nobody, and waits.
func (r *Kind) move(ctx context.Context, s *pgctl.Session, k apply.Knob, f *found, sql string) error {
	wait := lockWait
	if f.kind == "i" && f.gently {
		wait = "0"
	}
	if err := s.Exec(ctx, "SET lock_timeout = "+wait); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := s.Long(ctx, sql)
		if pgctl.Code(err) != lockTimeout || try == tries {
			return err
		}
		by, err := tablespaces.Holders(ctx, s, f.oid)
		if err != nil {
			return err
		}
		who := "another session has it"
		if len(by) > 0 {
			who = fmt.Sprintf("process %d (%s) has %s", by[0].PID, by[0].Role, by[0].Mode)
		}
		r.Tell(fmt.Sprintf("%s: no lock after 3 s, as %s; attempt %d of %d", k.Address, who, try, tries))
		select {
		case <-time.After(tryPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
