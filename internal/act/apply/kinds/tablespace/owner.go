package tablespace

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/tablespaces"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/sqlname"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// ownerOf is the role that owns a tablespace; of the one that is about to be created, the role that we are.
func (t *Kind) ownerOf(ctx context.Context, k apply.Knob) (st journal.State, err error) {
	name, _, _ := k.Address.Tablespace()
	s, err := tablespaces.Session(ctx, t.Server, k.Instance, "")
	if err != nil {
		return st, err
	}
	defer s.Release()
	rows, err := s.Rows(ctx,
		`select pg_get_userbyid(spcowner)::text from pg_tablespace where spcname::text = $1::text`, name)
	if err != nil {
		return st, say.Named("pg_tablespace", err)
	}
	owner := noTablespace
	switch {
	case len(rows) == 1:
		owner = rows[0][0]
	case t.New == name:
		owner = s.Role
	}
	st.Live = &owner
	return st, nil
}

// setOwner gives a tablespace to a role.
func (t *Kind) setOwner(ctx context.Context, k apply.Knob, role string) error {
	name, _, _ := k.Address.Tablespace()
	s, err := tablespaces.Session(ctx, t.Server, k.Instance, "")
	if err != nil {
		return err
	}
	defer s.Release()
	if err := s.Exec(ctx, "SET default_transaction_read_only = off"); err != nil {
		return err
	}
	if err := s.Exec(ctx, "ALTER TABLESPACE "+sqlname.Quote(name)+" OWNER TO "+sqlname.Quote(role)); err != nil {
		return say.Named("ALTER TABLESPACE", err)
	}
	return nil
}
