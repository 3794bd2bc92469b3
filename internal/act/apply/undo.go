package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/journal"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// UndoOptions bound an undo.
type UndoOptions struct {
	MaxEffect knob.Effect // files are put back in any case; what needs more than this is told and left to be made
	Wait      bool
}

// Undo takes an apply back, the last change first: what is still ours goes back
// to what it was, somebody's later edit is kept and shown. It carries on an
// undo or an apply that was interrupted. id "" is the last apply that is not
// undone.
func Undo(ctx context.Context, w *World, s *snapshot.Snapshot, id string, o UndoOptions) (Result, error) {
	unlock, err := w.lock(ctx, o.Wait)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	e := &engine{w: w, s: s}
	if id == "" {
		if id, err = w.last(func(j *journal.Journal) bool { return j.State != journal.TakenBack }); err != nil {
			return Result{}, err
		}
		if id == "" {
			return Result{}, &say.Problem{Message: "there is no apply to undo", Detail: "no journal in " + w.dir() + " has changes that are not undone", Code: say.CodeError}
		}
	}
	if err := e.open(id); err != nil {
		return Result{}, err
	}
	res := Result{Journal: e.log.Journal}
	if err := e.covered(); err != nil {
		return res, err
	}
	if err := e.stops(o); err != nil {
		return res, err
	}
	return res, e.undo(ctx, o)
}

// stops refuses an undo that would stop a server without having been asked to.
func (e *engine) stops(o UndoOptions) error {
	if o.MaxEffect >= knob.Restart {
		return nil
	}
	for i := range e.log.Changes {
		c := &e.log.Changes[i]
		if !c.Begun() {
			continue
		}
		kind, k, err := e.begun(c)
		if s, ok := kind.(Stopper); err == nil && ok && s.Stops(k) {
			return &say.Problem{Message: fmt.Sprintf("to take %s back, the server of %s is stopped and started again", c.Address, c.Instance), Detail: "nothing was changed",
				Hint: "'pgfettle undo --max-effect restart " + e.log.ID + "'", Code: say.CodeRefused}
		}
	}
	return nil
}

// covered refuses while a later apply of the same knob stands: its value would be
// kept as somebody's, and its own undo would then bring ours back for good.
func (e *engine) covered() error {
	list, err := journal.List(e.w.Target, e.w.dir())
	if err != nil {
		e.w.tell(err.Error()) // one that cannot be read must not keep another from being undone
	}
	for _, j := range slices.Backward(list) {
		if j.ID <= e.log.ID || j.Run.Hostname != e.w.Hostname || j.Run.Root != e.w.Root {
			continue
		}
		for i := range j.Changes {
			d := &j.Changes[i]
			if d.Begun() && slices.ContainsFunc(e.log.Changes, func(c journal.Change) bool {
				return c.Begun() && c.Address == d.Address && c.Instance == d.Instance
			}) {
				return &say.Problem{Message: fmt.Sprintf("%s was changed again by apply %s", d.Address, j.ID), Detail: "an apply is undone before those that it lies on",
					Hint: "'pgfettle undo " + j.ID + "' first", Code: say.CodeRefused}
			}
		}
	}
	return nil
}

// open goes on with a journal of this host.
func (e *engine) open(id string) (err error) {
	if e.log, err = journal.Open(e.w.Target, e.w.dir(), id); err != nil {
		return noAccess("the journal", err)
	}
	if r := e.log.Run; r.Hostname != e.w.Hostname || r.Root != e.w.Root {
		return &say.Problem{Message: "journal " + id + " is of another host", Detail: fmt.Sprintf("it was written on %q under root %q, and this is %q under root %q", r.Hostname, r.Root, e.w.Hostname, e.w.Root),
			Hint: "run it there", Code: say.CodeRefused}
	}
	e.sweep()
	return nil
}

// last returns the id of the newest journal of this host that is meant, or "".
func (w *World) last(is func(*journal.Journal) bool) (string, error) {
	list, err := journal.List(w.Target, w.dir())
	for _, j := range slices.Backward(list) {
		if j.Run.Hostname == w.Hostname && j.Run.Root == w.Root && is(j) {
			return j.ID, nil
		}
	}
	return "", err // of journals that cannot be read only where no other is meant
}

func (e *engine) undo(ctx context.Context, o UndoOptions) error {
	if e.log.State == journal.TakenBack && !e.owes(o) {
		return e.left() // it is undone, and undoing it again changes nothing
	}
	if !e.log.Undoing || e.log.Ended() {
		if err := e.append(journal.Line{Kind: journal.Undo}); err != nil {
			return err
		}
	}
	var bad []error
	for i := len(e.log.Changes) - 1; i >= 0; i-- {
		c := &e.log.Changes[i]
		if err := ctx.Err(); err != nil {
			return e.interrupted(err)
		}
		if c.State == journal.IsPlanned {
			if err := e.append(journal.Line{Kind: journal.Skipped, N: c.N, Reason: "the apply was undone before it was begun"}); err != nil {
				return err
			}
		}
		if !c.Begun() {
			continue
		}
		if c.Instance == "" {
			// the server gives up a pool before the pool is taken from it; one that
			// does not come up yet may miss what is brought back next
			if err := e.reactivate(ctx, o); err != nil && !isFailure(err) {
				return err
			}
		}
		if err := e.takeBack(context.WithoutCancel(ctx), c, ""); isUnwritten(err) {
			return err
		} else if err != nil {
			bad = append(bad, err)
		}
	}
	if err := e.reactivate(ctx, o); err != nil {
		if f, ok := errors.AsType[*failure](err); ok {
			return e.down(f.of, f.err)
		}
		return err
	}
	if err := e.append(journal.Line{Kind: journal.End}); err != nil {
		return errors.Join(append(bad, err)...)
	}
	if len(bad) > 0 {
		return &say.Problem{Message: "partly undone", Detail: errors.Join(bad...).Error(),
			Hint: "when the cause is gone, 'pgfettle undo " + e.log.ID + "' tries again", Code: say.CodePartly}
	}
	for _, p := range e.log.Pending {
		e.w.tell(fmt.Sprintf("%s needs a %s before its former values are in force", p.Instance, p.Effect))
	}
	return e.left()
}

// left is the error of an undo that leaves a server down which we had stopped: the
// program ended between stop and start, and a restart was not allowed now.
func (e *engine) left() error {
	for _, p := range e.log.Pending {
		in := e.instance(p.Instance)
		if in == nil || !e.log.Restarting(p.Instance) {
			continue
		}
		if runs, ok := in.Running.Get(); ok && !runs {
			return &say.Problem{Message: fmt.Sprintf("the server of %s is not running", p.Instance),
				Detail: "it was being restarted when the program was stopped; its former settings are in its files",
				Hint:   "'pgfettle undo --max-effect restart " + e.log.ID + "' starts it", Code: say.CodePartly}
		}
	}
	return nil
}

// owes says whether an activation is still to be made that may be made now.
func (e *engine) owes(o UndoOptions) bool {
	return e.w.Activate != nil && slices.ContainsFunc(e.log.Pending, func(p journal.Pending) bool { return p.Effect <= o.MaxEffect })
}

func isFailure(err error) bool { _, ok := errors.AsType[*failure](err); return ok }

// reactivate lets the servers take over what was put back, as far as it may. An
// instance of which changes are still to be taken back waits.
func (e *engine) reactivate(ctx context.Context, o UndoOptions) error {
	if e.w.Activate == nil {
		return nil
	}
	var failed error
	for _, p := range slices.Clone(e.log.Pending) {
		if slices.ContainsFunc(e.log.Changes, func(c journal.Change) bool { return c.Instance == p.Instance && c.Begun() }) {
			continue
		}
		p, ok := bounded(p, o.MaxEffect)
		if !ok {
			continue
		}
		err := e.activation(context.WithoutCancel(ctx), p, func(c *journal.Change) bool { return c.State == journal.IsUndone }, true)
		if isFailure(err) {
			failed = err
		} else if err != nil {
			return err
		}
	}
	return failed
}
