package tablespace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Kind is the kind of tablespaces. Their options (ALTER TABLESPACE … SET and RESET) are in a catalog of the server and
// in no file, and new plans take them at once. The live value is the option as the catalog has it, or knob.Unset. Their
// place and their owner are in place.go and owner.go.
type Kind struct {
	Server  *pgctl.Server
	Folders func(*target.User) target.Folders // those of a user; nil is ourselves
	Tell    func(string)
	// New is the tablespace that is about to be created: what is not there yet has no option. "" for undo, resume and
	// status.
	New string
}

var (
	_ apply.Kind    = (*Kind)(nil)
	_ apply.Guard   = (*Kind)(nil)
	_ apply.Partial = (*Kind)(nil)
	_ apply.Scribe  = (*Kind)(nil)
)

// noTablespace is the live value of an option of a tablespace that does not exist: it was dropped or renamed, and to
// undo there is nothing to put back.
const noTablespace = "gone, as there is no such tablespace"

// atWork ends a live value while a session of an earlier process still changes it.
const atWork = " (being changed by an earlier process)"

// attributeOf is what of a tablespace an address is of: its location, its owner, or an option.
func attributeOf(k apply.Knob) string {
	_, attribute, _ := k.Address.Tablespace()
	return attribute
}

func optionOf(k apply.Knob) (name, option string, err error) {
	name, option, ok := k.Address.Tablespace()
	if !ok || !slices.Contains(plan.TablespaceOptions, option) {
		return "", "", fmt.Errorf("%s is not the address of an option of a tablespace", k.Address)
	}
	if k.Instance == nil {
		return "", "", say.Named(k.Address, say.Err("it is not known which server has it"))
	}
	return name, option, nil
}

// catalog is what pg_tablespace says of an option.
type catalog struct {
	value   string // knob.Unset, or noTablespace
	mine    bool   // the role has the rights of its owner
	standby bool
}

// open connects to the server, which has to run: no file holds what is in a catalog.
func (t *Kind) open(ctx context.Context, k apply.Knob) (*pgctl.Session, error) {
	s, err := t.Server.Session(ctx, k.Instance)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, &say.Problem{Message: say.M("{address} is in a catalog of the server, and the server of {label} "+
			"is not running", "address", string(k.Address), "label", k.Instance.Label()), Code: say.CodeRefused,
			Hint: say.M("start the server first, or leave the options of tablespaces out")}
	}
	return s, nil
}

// catalogOf asks the catalog. The names are compared as text: as a name, a long one would be
// cut and could be another's.
func catalogOf(ctx context.Context, s *pgctl.Session, name, option string) (catalog, error) {
	rows, err := s.Rows(ctx,
		`select pg_is_in_recovery()::text, (t.oid is not null)::text, coalesce(pg_has_role(t.spcowner, 'USAGE'), `+
			`false)::text,
 coalesce((select o.option_value from pg_options_to_table(t.spcoptions) o where o.option_name = $2), ''),
 exists (select from pg_options_to_table(t.spcoptions) o where o.option_name = $2)::text
 from (values (1)) one left join pg_tablespace t on t.spcname::text = $1::text`, name, option)
	if err != nil || len(rows) != 1 {
		return catalog{}, errors.Join(errors.New("pg_tablespace"), err)
	}
	r := rows[0]
	c := catalog{value: r[3], mine: r[2] == "true", standby: r[0] == "true"}
	switch {
	case r[1] != "true":
		c.value = noTablespace
	case r[4] != "true":
		c.value = knob.Unset
	}
	return c, nil
}

// within calls f with a session on the server and what its catalog says of the option.
func (t *Kind) within(ctx context.Context, k apply.Knob, f func(*pgctl.Session, catalog) error) error {
	name, option, err := optionOf(k)
	if err != nil {
		return err
	}
	s, err := t.open(ctx, k)
	if err != nil {
		return err
	}
	defer s.Release()
	c, err := catalogOf(ctx, s, name, option)
	if err != nil {
		return err
	}
	if c.value == noTablespace && t.New == name {
		c.value, c.mine = knob.Unset, s.Super // which creates it is superuser
	}
	return f(s, c)
}

// Look implements Kind.
func (t *Kind) Look(ctx context.Context, k apply.Knob) (st journal.State, err error) {
	switch attributeOf(k) {
	case knob.Location:
		return t.place(ctx, k)
	case knob.Owner:
		return t.ownerOf(ctx, k)
	}
	err = t.within(ctx, k, func(_ *pgctl.Session, c catalog) error {
		st.Live = &c.value
		return nil
	})
	return st, err
}

// Want implements Kind.
func (t *Kind) Want(now journal.State, k apply.Knob, value string) (journal.State, error) {
	switch attributeOf(k) {
	case knob.Location:
		return placeOf(now, value)
	case knob.Owner:
		return journal.State{Live: &value}, nil
	}
	if _, _, err := optionOf(k); err != nil {
		return now, err
	}
	if value != knob.Unset && !plan.TablespaceValue.MatchString(value) {
		return now, say.Named(k.Address, say.Err("{value} is not a value of it", "value", say.Quoted(value)))
	}
	return journal.State{Live: &value}, nil
}

// Set implements Kind: one statement, which the server does as a whole or not at all.
func (t *Kind) Set(ctx context.Context, k apply.Knob, want journal.State) error {
	switch {
	case attributeOf(k) == knob.Location:
		return t.setPlace(ctx, k, want)
	case want.Live == nil:
		return nil
	case attributeOf(k) == knob.Owner:
		return t.setOwner(ctx, k, *want.Live)
	}
	name, option, err := optionOf(k)
	if err != nil {
		return err
	}
	sql, err := plan.TablespaceSQL(name, option, *want.Live)
	if err != nil {
		return err
	}
	return t.within(ctx, k, func(s *pgctl.Session, c catalog) error {
		switch c.value {
		case *want.Live:
			return nil
		case noTablespace:
			return say.Err("there is no tablespace {name}", "name", say.Quoted(name))
		}
		// else it is refused where default_transaction_read_only is on
		if err := s.Exec(ctx, "SET default_transaction_read_only = off"); err != nil {
			return err
		}
		if err := s.Exec(ctx, sql); err != nil {
			return say.Named("ALTER TABLESPACE", err)
		}
		return nil
	})
}

// Allowed implements Guard. Whether a tablespace may be created was judged with all that was found.
func (t *Kind) Allowed(ctx context.Context, k apply.Knob) error {
	if a := attributeOf(k); a == knob.Location || a == knob.Owner {
		return nil
	}
	return t.within(ctx, k, func(s *pgctl.Session, c catalog) error {
		switch {
		case c.standby:
			return &say.Problem{Message: say.M("{address} cannot be set on a standby", "address", string(k.Address)),
				Detail: say.M("its catalogs are those of the primary"), Code: say.CodeRefused,
				Hint: say.M("set it on the primary, from where it comes here, or leave the options of tablespaces out")}
		case !c.mine:
			return &say.Problem{Message: say.M("{address} is not to be set: {role} does not own the tablespace",
				"address", string(k.Address), "role", s.Role), Code: say.CodeNoAccess,
				Hint: say.M("connect as its owner or as a superuser")}
		case c.value != knob.Unset && c.value != noTablespace && !plan.TablespaceValue.MatchString(c.value):
			return &say.Problem{Message: say.M("{address} is {value}, which could not be restored", "address",
				string(k.Address), "value", say.Quoted(c.value)),
				Code: say.CodeRefused,
				Hint: say.M("leave it out of the plan")}
		}
		return nil
	})
}

// MayWrite implements Scribe: the directory of a tablespace is made with the rights of the server's account.
func (t *Kind) MayWrite(context.Context, apply.Knob, journal.File) error { return nil }

// Halfway implements Partial: a session of an earlier process may be at work on it.
func (t *Kind) Halfway(found, was, will journal.State, _ apply.Knob) bool {
	if found.Live == nil || was.Live == nil || will.Live == nil {
		return false
	}
	at, cut := strings.CutSuffix(*found.Live, atWork)
	return cut && (at == *was.Live || at == *will.Live)
}

// Ours implements Kind.
func (t *Kind) Ours(found, after journal.State, _ apply.Knob) bool { return found.Same(after) }

// Without implements Kind.
func (t *Kind) Without(_, before journal.State, _ apply.Knob) (journal.State, error) {
	return before, nil
}
