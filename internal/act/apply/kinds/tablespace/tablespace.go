package tablespace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Kind is the kind of options of tablespaces: ALTER TABLESPACE … SET and RESET. They are in a catalog of the server and
// in no file, and new plans take them at once. The live value is the option as the catalog has it, or knob.Unset.
type Kind struct{ Server *pgctl.Server }

var _ apply.Kind = Kind{}

// noTablespace is the live value of an option of a tablespace that does not exist: it was dropped or renamed, and to
// undo there is nothing to put back.
const noTablespace = "gone, as there is no such tablespace"

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
func (t Kind) open(ctx context.Context, k apply.Knob) (*pgctl.Session, error) {
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
func (t Kind) within(ctx context.Context, k apply.Knob, f func(*pgctl.Session, catalog) error) error {
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
	return f(s, c)
}

// Look implements Kind.
func (t Kind) Look(ctx context.Context, k apply.Knob) (st journal.State, err error) {
	err = t.within(ctx, k, func(_ *pgctl.Session, c catalog) error {
		st.Live = &c.value
		return nil
	})
	return st, err
}

// Want implements Kind.
func (t Kind) Want(now journal.State, k apply.Knob, value string) (journal.State, error) {
	if _, _, err := optionOf(k); err != nil {
		return now, err
	}
	if value != knob.Unset && !plan.TablespaceValue.MatchString(value) {
		return now, say.Named(k.Address, say.Err("{value} is not a value of it", "value", say.Quoted(value)))
	}
	return journal.State{Live: &value}, nil
}

// Set implements Kind: one statement, which the server does as a whole or not at all.
func (t Kind) Set(ctx context.Context, k apply.Knob, want journal.State) error {
	if want.Live == nil {
		return nil
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

// Allowed implements Guard.
func (t Kind) Allowed(ctx context.Context, k apply.Knob) error {
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

// Ours implements Kind.
func (t Kind) Ours(found, after journal.State, _ apply.Knob) bool { return found.SameLive(after) }

// Without implements Kind.
func (t Kind) Without(_, before journal.State, _ apply.Knob) (journal.State, error) {
	return before, nil
}
