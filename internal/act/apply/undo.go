package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// UndoOptions bound an undo.
type UndoOptions struct {
	MaxEffect knob.Effect // files are restored in any case; what needs more than this is reported and left to be done
	Wait      bool
	// label of an instance that is gone: its changes are noted as abandoned, and the rest is undone
	Forget string
}

// Undo undoes an apply, the last change first: what is still ours is restored, later edits by others are kept and
// shown. It continues an undo or an apply that was interrupted. id "" is the last apply that is not undone.
func Undo(ctx context.Context, w *System, s *snapshot.Snapshot, id string, o UndoOptions) (Result, error) {
	is := func(j *journal.Journal) bool { return !j.Undone() && j.Foreign == "" }
	if o.Forget != "" {
		is = func(j *journal.Journal) bool { return !j.Undone() && ofInstance(j, o.Forget) }
	}
	id, unlock, err := w.hold(ctx, id, o.Wait, is)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	if id == "" {
		no := &say.Problem{Message: say.M("there is no apply to undo"), Detail: say.M("no journal in {dir} has "+
			"changes that are not undone", "dir", w.dir()), Code: say.CodeError}
		if o.Forget != "" {
			no.Detail = say.M("no journal in {dir} has changes of {forget} that are not undone", "dir", w.dir(),
				"forget", o.Forget)
		}
		return Result{}, no
	}
	e := &operation{w: w, s: s}
	if err := e.forgettable(o.Forget); err != nil {
		return Result{}, err
	}
	if err := e.open(id, false); err != nil {
		return Result{}, err
	}
	res := Result{Journal: e.log.Journal}
	if o.Forget != "" && !ofInstance(e.log.Journal, o.Forget) {
		return res, &say.Problem{Message: say.M("journal {id} has no change of {forget}", "id", id, "forget", o.Forget),
			Hint: say.M("'pgfettle journal show {id}' names its instances", "id", id), Code: say.CodeUsage}
	}
	if err := e.covered(func(c *journal.Change) bool { return o.Forget != "" && c.Instance == o.Forget }); err != nil {
		return res, err
	}
	if err := e.stops(o); err != nil {
		return res, err
	}
	return res, e.undo(ctx, o)
}

// stops refuses an undo that would stop a server without having been asked to.
func (e *operation) stops(o UndoOptions) error {
	if o.MaxEffect >= knob.Restart {
		return nil
	}
	for i := range e.log.Changes {
		c := &e.log.Changes[i]
		if !c.Begun() || o.Forget != "" && c.Instance == o.Forget {
			continue
		}
		kind, k, err := e.begun(c)
		if s, ok := kind.(Stopper); err == nil && ok && s.Stops(k) {
			return &say.Problem{Message: say.M("to take {address} back, the server of {instance} is stopped and "+
				"started again", "address", string(c.Address), "instance", c.Instance),
				Detail: say.M("nothing was changed"),
				Hint:   say.M("'pgfettle undo --max-effect restart {id}'", "id", e.log.ID), Code: say.CodeRefused}
		}
	}
	return nil
}

// covered refuses while a later apply of the same knob stands: its value would be kept as a foreign one, and its own
// undo would then restore ours for good. but are changes that will not be undone. It notes what later applies changed.
func (e *operation) covered(but func(*journal.Change) bool) error {
	list, err := journalfile.List(e.w.Target, e.w.dir())
	if err != nil {
		e.w.tell(err.Error()) // one that cannot be read must not keep another from being undone
	}
	e.later = map[[2]string]bool{}
	for _, j := range slices.Backward(list) {
		if j.ID <= e.log.ID || !j.Run.Of(e.w.Hostname, e.w.Root) {
			continue
		}
		for i := range j.Changes {
			d := &j.Changes[i]
			if !d.Begun() {
				continue
			}
			e.later[keyOf(d.Address, d.Instance)] = true
			if slices.ContainsFunc(e.log.Changes, func(c journal.Change) bool {
				return c.Begun() && c.Address == d.Address && c.Instance == d.Instance && (but == nil || !but(&c))
			}) {
				return &say.Problem{Message: say.M("{address} was changed again by apply {id}", "address",
					string(d.Address), "id", j.ID),
					Detail: say.M("undo the applies that depend on this one first"),
					Hint:   say.M("'pgfettle undo {id}' first", "id", j.ID), Code: say.CodeRefused}
			}
		}
	}
	return nil
}

// open goes on with a journal of this host. One that is damaged is only undone:
// what is missing in it may be what a resume would have to go on with.
func (e *operation) open(id string, resume bool) (err error) {
	var refused error
	run := journal.Run{Tool: e.w.Tool, Hostname: e.w.Hostname, Root: e.w.Root}
	e.log, err = journalfile.Open(e.w.Target, e.w.dir(), id, run, e.w.Now().Unix(), func(j *journal.Journal) error {
		refused = e.may(j, resume)
		return refused
	})
	switch {
	case refused != nil:
		return refused
	case err != nil:
		return target.NoAccess("the journal", err)
	}
	e.sweep()
	return nil
}

// may says why a journal is not gone on with here.
func (e *operation) may(j *journal.Journal, resume bool) error {
	switch r := j.Run; {
	case j.Foreign != "":
		return &say.Problem{Message: say.OfError((&journal.ForeignError{ID: j.ID, Format: j.Foreign})),
			Detail: say.M("nothing was changed"),
			Hint:   say.M("use the version of pgfettle that wrote it"), Code: say.CodeError}
	case !e.w.owns(j):
		return &say.Problem{Message: say.M("journal {id} is of another host", "id", j.ID),
			Detail: say.M("it was written on {hostname} under root {root}, and this is {hostname2} under root {root2}",
				"hostname", say.Quoted(r.Hostname), "root", say.Quoted(r.Root), "hostname2", say.Quoted(e.w.Hostname),
				"root2", say.Quoted(e.w.Root)),
			Hint: say.M("run it there"), Code: say.CodeRefused}
	case resume && j.Damage != nil:
		return &say.Problem{Message: say.M("the journal of apply {id} is damaged", "id", j.ID),
			Detail: say.M("{damage}; nothing was changed", "damage", damageText(j)),
			Hint:   say.M("'pgfettle undo {id}' undoes what the intact part shows", "id", j.ID), Code: say.CodePartly}
	}
	return nil
}

// last returns the id of the newest journal of this host that is meant, or "".
func (w *System) last(is func(*journal.Journal) bool) (string, error) {
	list, err := journalfile.List(w.Target, w.dir())
	for _, j := range slices.Backward(list) {
		if w.owns(j) && is(j) {
			return j.ID, nil
		}
	}
	return "", err // of journals that cannot be read only where no other is meant
}

func (e *operation) undo(ctx context.Context, o UndoOptions) error {
	if (e.log.State == journal.TakenBack || e.log.State == journal.Abandoned) && !e.owes(o) {
		e.lookAgain(ctx)
		return e.left() // it is undone, and undoing it again changes nothing
	}
	if !e.log.Undoing || e.log.Ended() {
		if err := e.append(journal.Line{Kind: journal.Undo}); err != nil {
			return err
		}
	}
	if err := e.forget(o.Forget); err != nil {
		return err
	}
	var bad []error
	took := map[int]bool{}
	for i := len(e.log.Changes) - 1; i >= 0; i-- {
		c := &e.log.Changes[i]
		if err := ctx.Err(); err != nil {
			return e.interrupted(err)
		}
		if c.State == journal.IsPlanned {
			if err := e.append(journal.Line{Kind: journal.Skipped, N: c.N, Reason: unbegun}); err != nil {
				return err
			}
		}
		if !c.Begun() {
			continue
		}
		if c.Instance == "" && !e.startsLater(i) {
			// before strict overcommit of old comes back, under which nothing starts that does not fit; one that does
			// not come up yet may miss what is restored next
			if err := e.reactivate(ctx, o); err != nil && !isFailure(err) {
				return err
			}
		}
		if err := e.takeBack(context.WithoutCancel(ctx), c, ""); isUnwritten(err) {
			return err
		} else if err != nil {
			bad = append(bad, err)
		}
		took[c.N] = true
	}
	if err := e.reactivate(ctx, o); err != nil {
		if f, ok := errors.AsType[*failure](err); ok {
			return e.down(f.of, f.err)
		}
		return err
	}
	if err := e.readBack(context.WithoutCancel(ctx), took); err != nil {
		return errors.Join(append(bad, err)...)
	}
	if err := e.append(journal.Line{Kind: journal.End}); err != nil {
		return errors.Join(append(bad, err)...)
	}
	if err := e.undoVerdict(bad); err != nil {
		return err
	}
	for _, p := range e.log.Pending {
		if p.Instance == "" {
			continue // the journal shows it
		}
		e.w.tell(fmt.Sprintf("%s needs a %s before its former values are in force", p.Instance, p.Effect))
	}
	return e.left()
}

// startsLater reports whether a server waits for what is still to be undone among the first changes up to i: for the
// memory of a pool that was grown, which may not be there twice, and for what its unit starts it with. A pool that
// shrinks under a running server takes nothing from it: the pages in use become surplus, and are free when it stops.
func (e *operation) startsLater(i int) bool {
	return slices.ContainsFunc(e.log.Changes[:i+1], func(c journal.Change) bool {
		return c.Begun() && (selection.JournalStep(&c).GrowsPool() || c.Address.Layer() == knob.Units)
	})
}

// left is the error of an undo that leaves a server down which we had stopped: the
// program ended between stop and start, and a restart was not allowed now.
func (e *operation) left() error {
	for _, p := range e.log.Pending {
		in := e.instance(p.Instance)
		if in == nil || !e.log.Restarting(p.Instance) {
			continue
		}
		if runs, ok := in.Running.Get(); ok && !runs {
			return &say.Problem{Message: say.M("the server of {instance} is not running", "instance", p.Instance),
				Detail: say.M("it was being restarted when the program was stopped; its former settings are in its " +
					"files"),
				Hint: say.M("'pgfettle undo --max-effect restart {id}' starts it", "id", e.log.ID),
				Code: say.CodePartly}
		}
	}
	return nil
}

// owes reports whether an activation is still to be made that may be made now.
func (e *operation) owes(o UndoOptions) bool {
	return e.w.Activate != nil && slices.ContainsFunc(e.log.Pending,
		func(p journal.Pending) bool { return p.Instance != "" && p.Effect <= o.MaxEffect })
}

func isFailure(err error) bool { _, ok := errors.AsType[*failure](err); return ok }

// reactivate lets the servers take over what was restored, as far as it may. An instance of which changes are still to
// be undone waits.
func (e *operation) reactivate(ctx context.Context, o UndoOptions) error {
	if e.w.Activate == nil {
		return nil
	}
	var failed error
	for _, p := range slices.Clone(e.log.Pending) {
		if slices.ContainsFunc(e.log.Changes, func(c journal.Change) bool {
			return c.Instance == p.Instance && c.Begun()
		}) {
			continue
		}
		p, ok := boundedEffect(p, o.MaxEffect)
		if !ok || p.Instance == "" {
			continue
		}
		err := e.activation(context.WithoutCancel(ctx), p, func(c *journal.Change) bool {
			return c.State == journal.IsUndone
		}, true)
		if isFailure(err) {
			failed = err
		} else if err != nil {
			return err
		}
	}
	return failed
}
