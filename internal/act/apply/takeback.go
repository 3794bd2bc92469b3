package apply

import (
	"context"
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// takeBack brings one change back to what was before it, as far as what is there
// now is ours. why is the reason where it is not an undo that was asked for. The
// error is one that leaves the change as it was done.
func (e *operation) takeBack(ctx context.Context, c *journal.Change, why string) error {
	kind, k, err := e.begun(c)
	if err != nil {
		return e.unreached(c, err)
	}
	// before the look: nothing that waits may come between it and the step
	e.w.tell(fmt.Sprintf("%s: back to %s", e.name(c), c.Before))
	found, err := kind.Look(ctx, k)
	if err != nil {
		return say.Named(c.Address, err)
	}
	to, theirs, err := e.back(kind, k, c, found)
	if err != nil {
		return say.Named(c.Address, err)
	}
	nothing := to.File == nil && to.Live == nil
	if theirs != "" && nothing {
		e.w.tell(fmt.Sprintf("%s: kept: %s", e.name(c), theirs))
		return e.append(journal.Line{Kind: journal.Kept, N: c.N, Reason: theirs})
	}
	if err := e.append(journal.Line{Kind: journal.Undoing, N: c.N, Address: c.Address, Before: &found,
		After: &to}); err != nil {
		return err
	}
	if nothing {
		return e.append(journal.Line{Kind: journal.Undone, N: c.N, Reason: why})
	}
	if err := setAndReadBack(ctx, kind, k, insteadOf(to, found), c.Effect); err != nil {
		if err := e.append(journal.Line{Kind: journal.Failed, N: c.N, Reason: "it could not be undone: " +
			err.Error()}); err != nil {
			return err
		}
		return &say.Problem{Message: say.M("{address} could not be undone", "address", string(c.Address)),
			Detail: say.OfError(err),
			Hint:   say.M("when the cause is gone, 'pgfettle undo {id}' tries again", "id", e.log.ID),
			Code:   say.CodePartly}
	}
	if theirs != "" {
		return e.append(journal.Line{Kind: journal.Kept, N: c.N, Reason: theirs})
	}
	return e.finished(journal.Line{Kind: journal.Undone, N: c.N, Reason: why}, kind, k)
}

// back returns the state to restore; a part to be left alone is nil. theirs describes what others have made of the
// rest; "" if nothing.
func (e *operation) back(kind Kind, k Knob, c *journal.Change, found journal.State) (to journal.State, theirs string,
	err error) {
	if c.Will.Live != nil {
		// Without a file that we see, the live value of a server's setting is
		// all there is to judge by, and before an activation it is still the old
		// one: what was is then put back in any case.
		unseen := c.Will.File == nil && c.Effect != knob.Now
		switch {
		case c.Effect != knob.Now && !unseen:
		case found.SameLive(c.Will), unseen && found.SameLive(c.Was), e.halfway(kind, k, c, found):
			to.Live = c.Was.Live
		case found.SameLive(c.Was):
		default:
			theirs = fmt.Sprintf("it is now %s, not %s as applied: it was changed since",
				liveOf(kind, k, found), spelled(kind, k, *c.Will.Live))
		}
	}
	if c.Will.File == nil || found.File == nil {
		return to, theirs, nil
	}
	// Where a step was cut short the file may be as it should while what follows
	// from it, such as update-grub, was not done: Set finishes it.
	cutShort := c.State != journal.IsDone
	if origin, ok := e.log.Origin(c, *found.File); ok {
		if cutShort || !origin.Same(*found.File) {
			to.File = &origin
		}
		return to, theirs, nil
	}
	judged := found
	judged.Live = c.Will.Live
	switch {
	case found.SameFile(c.Will):
		to.File = c.Was.File
	case found.SameFile(c.Was):
		if cutShort {
			to.File = c.Was.File
		}
	case kind.Ours(judged, c.Will, k):
		rest, err := kind.Without(judged, c.Was, k)
		if err != nil {
			return to, theirs, err
		}
		to.File = rest.File
	case cutShort && e.without(kind, k, c, judged):
		to.File = found.File
	default:
		if theirs != "" {
			theirs += "; "
		}
		theirs += found.File.Path + " no longer has the applied value: it was changed since"
	}
	return to, theirs, nil
}

// without reports whether a file no longer has our value, and has what it had for the knob before: others edited other
// parts of it.
func (e *operation) without(kind Kind, k Knob, c *journal.Change, found journal.State) bool {
	rest, err := kind.Without(found, c.Was, k)
	return err == nil && rest.File != nil && rest.File.Same(*found.File)
}

// halfway reports whether a live value is what a step that a crash cut short left.
func (e *operation) halfway(kind Kind, k Knob, c *journal.Change, found journal.State) bool {
	p, ok := kind.(Partial)
	return ok && c.State != journal.IsDone && p.Halfway(found, c.Was, c.Will, k)
}
