package apply

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// Resume goes on with an apply that was interrupted, or with the undo of it: a step that was in progress is examined
// and finished, what was being restored is restored, then comes the rest. A completed journal is left as it is. id ""
// is the last that was interrupted.
func Resume(ctx context.Context, w *System, s *snapshot.Snapshot, id string, o selection.Options) (Result, error) {
	id, unlock, err := w.hold(ctx, id, o.Wait, func(j *journal.Journal) bool { return j.State == journal.Interrupted })
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	if id == "" {
		return Result{}, &say.Problem{Message: say.M("there is no apply to resume"), Detail: say.M("every journal in "+
			"{dir} came to its end", "dir", w.dir()), Code: say.CodeError}
	}
	e := &operation{w: w, s: s}
	if err := e.open(id, true); err != nil {
		return Result{}, err
	}
	res := Result{Journal: e.log.Journal}
	switch {
	case e.log.Ended():
		return res, nil
	case e.log.Undoing:
		if err := e.covered(nil); err != nil {
			return res, err
		}
		return res, e.undo(ctx, UndoOptions{MaxEffect: knob.Restart})
	}
	if err := e.append(journal.Line{Kind: journal.Resume}); err != nil {
		return res, err
	}
	inner := context.WithoutCancel(ctx)
	if r := e.log.Reverting(); r.Reason != "" {
		if err := e.revert(inner, r); err != nil {
			return res, err
		}
	}
	for i := range e.log.Changes {
		c := &e.log.Changes[i]
		switch c.State {
		case journal.IsIntended:
			err = e.finish(inner, c)
		case journal.IsUndoing: // of a revert that goes on no more
			err = e.takeBack(inner, c, c.Reason)
		}
		if err != nil {
			return res, err
		}
	}
	return res, e.forward(ctx)
}

// finish completes a change that was begun. What is neither before nor after nor between the two was set by others, and
// is kept.
func (e *operation) finish(ctx context.Context, c *journal.Change) error {
	kind, k, err := e.begun(c)
	if err != nil {
		return err
	}
	now, err := kind.Look(ctx, k)
	if err != nil {
		return err
	}
	want := c.Will
	judged := now
	judged.Live = c.Will.Live
	switch {
	case want.File == nil || now.SameFile(want) || now.SameFile(c.Was):
	case kind.Ours(judged, c.Will, k):
		want.File = now.File // our value is in it, next to a foreign edit; what follows from it may be missing
	default:
		return e.giveUp(ctx, c, want.File.Path+" was changed while the apply was interrupted")
	}
	if want.Live != nil && c.Effect == knob.Now && !now.SameLive(want) && !now.SameLive(c.Was) &&
		!e.halfway(kind, k, c, now) {
		return e.giveUp(ctx, c, "it is "+liveOf(kind, k, now)+
			" now: it was changed while the apply was interrupted")
	}
	if why := setAndReadBack(ctx, kind, k, insteadOf(want, now), c.Effect); why != nil {
		return e.giveUp(ctx, c, why.Error())
	}
	return e.finished(journal.Line{Kind: journal.Done, N: c.N}, kind, k)
}

// giveUp leaves a change that cannot be finished: the part of it that is ours is undone, so that not half of it stays,
// and so are the other settings of its instance.
func (e *operation) giveUp(ctx context.Context, c *journal.Change, why string) error {
	if err := e.takeBack(ctx, c, why); err != nil {
		return err
	}
	e.w.tell(e.name(c) + ": " + why)
	if c.Instance == "" {
		return nil
	}
	return e.revert(ctx, journal.Revertment{Instance: c.Instance, Reason: "brought back, as " + string(c.Address) +
		" failed: " + why})
}
