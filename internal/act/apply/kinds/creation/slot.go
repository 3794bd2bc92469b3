package creation

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/provision"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// slot is the replication slot of a standby, on its primary: "there" or "absent". It is dropped only while nothing
// uses it, and once the standby that it was made for is gone.
type slot struct {
	Host
	whole
}

// The live values of a slot.
const (
	there = "there"
	other = "a slot of another kind"
)

// Look implements apply.Kind.
func (s slot) Look(ctx context.Context, k apply.Knob) (journal.State, error) {
	var found string
	err := s.on(ctx, k, func(conn *pgconn.PgConn) error {
		rows, err := ask(ctx, conn, "SELECT slot_type FROM pg_replication_slots WHERE slot_name = $1", k.Address.Name())
		switch {
		case err != nil:
			return err
		case len(rows) == 0:
			found = newcluster.Absent
		case string(rows[0][0]) == "physical":
			found = there
		default:
			found = other
		}
		return nil
	})
	return live(found), err
}

// on runs something on the primary, if it is the one that was planned with.
func (s slot) on(ctx context.Context, k apply.Knob, do func(*pgconn.PgConn) error) error {
	v, err := newcluster.ParseSlot(k.To)
	if err != nil {
		return err
	}
	conn, err := provision.Upstream(s.Target, v).Database(ctx, "")
	if err == nil {
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		var rows [][][]byte
		rows, err = ask(ctx, conn, "SELECT system_identifier FROM pg_control_system()")
		if err == nil && (len(rows) != 1 || string(rows[0][0]) != v.System) {
			err = say.Err("another server answers there")
		}
		if err == nil {
			err = do(conn)
		}
	}
	if err != nil {
		return &say.Problem{Message: say.M("the replication slot {name} on the primary at {where}: {reason}. If it is "+
			"left over, on the primary: {command}", "name", k.Address.Name(), "where", v.Where, "reason", err,
			"command",
			"SELECT pg_drop_replication_slot('"+k.Address.Name()+"');"), Code: say.CodeError}
	}
	return nil
}

func ask(ctx context.Context, conn *pgconn.PgConn, sql string, args ...string) ([][][]byte, error) {
	var values [][]byte
	for _, a := range args {
		values = append(values, []byte(a))
	}
	res := conn.ExecParams(ctx, sql, values, nil, nil, nil).Read()
	return res.Rows, res.Err
}

// Want implements apply.Kind.
func (s slot) Want(_ journal.State, k apply.Knob, value string) (journal.State, error) {
	if value == newcluster.Absent {
		return live(value), nil
	}
	if _, err := newcluster.ParseSlot(value); err != nil {
		return journal.State{}, say.Named(k.Address, err)
	}
	return live(there), nil
}

// Short implements apply.Shortener.
func (s slot) Short(value string) string { return newcluster.Short(value) }

// inUse is how long a slot is waited for whose standby was stopped just now: the primary notices the end of its
// connection a little later.
const inUse = 10 * time.Second

// Set implements apply.Kind.
func (s slot) Set(ctx context.Context, k apply.Knob, st journal.State) error {
	v, err := newcluster.ParseSlot(k.To)
	if err != nil {
		return err
	}
	if absent(st) {
		if err := s.unneeded(v); err != nil {
			return err
		}
	}
	return s.on(ctx, k, func(conn *pgconn.PgConn) error {
		if !absent(st) {
			_, err := ask(ctx, conn, "SELECT pg_create_physical_replication_slot($1, true)", k.Address.Name())
			return err
		}
		return drop(ctx, conn, k.Address.Name())
	})
}

// unneeded refuses while the standby that the slot was made for is there: it would lose its WAL.
func (s slot) unneeded(v newcluster.Slot) error {
	at := path.Join(v.Data, newcluster.Marker)
	_, err := s.Target.As(target.User{UID: v.Owner.UID, GID: v.Owner.GID}).Lstat(at)
	switch {
	case err == nil:
		return say.Err("the standby in {path} needs it", "path", v.Data)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// drop drops a slot that no standby uses.
func drop(ctx context.Context, conn *pgconn.PgConn, name string) error {
	bound, cancel := context.WithTimeout(ctx, inUse)
	defer cancel()
	for {
		_, err := ask(ctx, conn, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE "+
			"slot_name = $1 AND slot_type = 'physical'", name)
		const objectInUse = "55006"
		if pe, ok := errors.AsType[*pgconn.PgError](err); !ok || pe.Code != objectInUse {
			return err
		}
		select {
		case <-bound.Done():
			return err
		case <-time.After(pause):
		}
	}
}
