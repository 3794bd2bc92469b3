package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// activate reloads or restarts every instance whose changes are not in force yet. If one does not come up with them, or
// shows other values, its changes are restored and it is activated again; the others go on.
func (e *operation) activate(ctx context.Context) error {
	if e.w.Activate == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // a restart is one step
	for _, p := range slices.Clone(e.log.Pending) {
		err := e.activation(ctx, p, func(c *journal.Change) bool { return c.State == journal.IsDone && !c.Active() },
			false)
		if f, ok := errors.AsType[*failure](err); ok {
			err = e.revert(ctx, journal.Revertment{Instance: p.Instance,
				Reason: fmt.Sprintf("brought back after the %s: %s", p.Effect, f.err)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// failure is an activation that did not succeed, as against a journal that could
// not be written.
type failure struct {
	of  journal.Pending
	err error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// activation makes one activation and looks whether the changes that it is for
// are in force: what will be, or under back what was. The error is a *failure
// where the server did not come up or has other values.
func (e *operation) activation(ctx context.Context, p journal.Pending, mine func(*journal.Change) bool,
	back bool) error {
	in := e.instance(p.Instance)
	if in == nil {
		return &failure{p, say.Err("the instance {instance} is not found on this host", "instance", p.Instance)}
	}
	var whose []*journal.Change // before Active changes what they are
	for i := range e.log.Changes {
		if c := &e.log.Changes[i]; c.Instance == p.Instance && c.Effect <= p.Effect && mine(c) {
			whose = append(whose, c)
		}
	}
	e.w.tell(fmt.Sprintf("%s of %s", p.Effect, p.Instance))
	if err := e.append(journal.Line{Kind: journal.Activate, Instance: p.Instance, Effect: p.Effect}); err != nil {
		return err
	}
	if err := e.w.Activate(ctx, in.Key, p.Effect); err != nil {
		return &failure{p, err}
	}
	for _, c := range whose {
		err := e.inForce(ctx, c, back)
		switch {
		case err == nil:
		case back:
			// the server is up, and nothing can be restored further
			e.w.tell(fmt.Sprintf("%s: %v", c.Address, err))
		default:
			return &failure{p, say.Named(c.Address, err)}
		}
	}
	return e.append(journal.Line{Kind: journal.Active, Instance: p.Instance, Effect: p.Effect})
}

// inForce says why a server does not have the value that it should.
func (e *operation) inForce(ctx context.Context, c *journal.Change, back bool) error {
	kind, k, err := e.begun(c)
	if err != nil {
		return err
	}
	now, err := kind.Look(ctx, k)
	if err != nil {
		return err
	}
	want := c.Will
	switch {
	case back:
		want = c.Was
	case want.Live == nil:
		// the server was down when it was wanted
		if want, err = kind.Want(now, k, c.After); err != nil {
			return err
		}
	}
	if want.Live != nil && !now.SameLive(want) {
		return say.Err("the server has {value} and not {other}", "value", liveOf(kind, k, now),
			"other", spelled(kind, k, *want.Live))
	}
	return nil
}

// revert brings back the changes of an instance that are not in force, with a
// pool of huge pages that was grown for it, and activates what was before. It
// starts again where a crash has stopped it.
func (e *operation) revert(ctx context.Context, r journal.Revertment) error {
	e.w.tell(fmt.Sprintf("bringing back the changes of %s", r.Instance))
	if e.log.Reverting() != r {
		if err := e.append(journal.Line{Kind: journal.Revert, Instance: r.Instance, Reason: r.Reason}); err != nil {
			return err
		}
	}
	for i := len(e.log.Changes) - 1; i >= 0; i-- {
		c := &e.log.Changes[i]
		mine := c.Instance == r.Instance && !c.Active()
		if c.Begun() && (mine || selection.JournalStep(c).GrowsPool() && !e.needPool(r.Instance)) {
			if err := e.takeBack(ctx, c, r.Reason); err != nil {
				return err
			}
		}
	}
	for _, p := range slices.Clone(e.log.Pending) {
		if p.Instance != r.Instance {
			continue
		}
		if err := e.activation(ctx, p, func(c *journal.Change) bool { return c.State == journal.IsFailed && c.Tried() },
			true); err != nil {
			return e.down(p, err)
		}
	}
	return nil
}

// needPool reports whether another instance is, or will be, restarted onto the pool.
func (e *operation) needPool(but string) bool {
	for i := range e.log.Changes {
		c := &e.log.Changes[i]
		if c.Instance != but && selection.JournalStep(c).Restarts() && (c.Begun() || c.State == journal.IsPlanned) {
			return true
		}
	}
	return false
}

// down is the error of a server that does not come up with what it had before.
func (e *operation) down(p journal.Pending, err error) error {
	return &say.Problem{Message: say.M("the {effect} of {instance} failed, and its former settings are in place",
		"effect", p.Effect, "instance", p.Instance), Detail: say.OfError(err),
		Hint: say.M("look at its log; when the cause is gone, 'pgfettle undo {id}' finishes taking back", "id",
			e.log.ID),
		Code: say.CodePartly}
}

// boundedEffect lowers what is owed to what may be done; ok is false if nothing may.
func boundedEffect(p journal.Pending, most knob.Effect) (journal.Pending, bool) {
	p.Effect = min(p.Effect, most)
	return p, p.Effect >= knob.Reload
}
