package apply

import (
	"context"
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// Reasons of changes that were never begun, as far as the journal knows.
const (
	already = "it has the value already" // without loss
	unbegun = "the apply was undone before it was begun"
)

// readBack reads every value again at the end of an undo, and notes those that differ from before without a known
// change. Lines that are missing at the end of a journal leave no trace in it; here they do: their effects are present.
// took are the changes that this undo has undone itself.
func (e *operation) readBack(ctx context.Context, took map[int]bool) error {
	for i := range e.log.Changes {
		c := &e.log.Changes[i]
		why, reboots := e.leftover(ctx, c, took[c.N])
		if why == "" {
			continue
		}
		l := journal.Line{Kind: journal.Left, N: c.N, Reason: why}
		if reboots {
			l.Effect = knob.Reboot
		}
		e.w.tell(fmt.Sprintf("%s: %s", e.name(c), why))
		if err := e.append(l); err != nil {
			return err
		}
	}
	return e.append(journal.Line{Kind: journal.Checked})
}

// lookAgain is readBack for an undo that came to its end before: what is there now
// was set since, and the journal stays as it is.
func (e *operation) lookAgain(ctx context.Context) {
	for i := range e.log.Changes {
		c := &e.log.Changes[i]
		c.Left, _ = e.leftover(ctx, c, false)
	}
}

// leftover describes what remains of a change; "" if everything is as before, or if that is reported elsewhere. reboots
// says that it disappears at the next boot.
func (e *operation) leftover(ctx context.Context, c *journal.Change, took bool) (why string, reboots bool) {
	ever := c.Will.File != nil || c.Will.Live != nil
	switch {
	case c.Begun() || c.State == journal.IsAbandon || e.later[keyOf(c.Address, c.Instance)]:
		return "", false
	case c.State == journal.IsKept && e.log.Damage != nil:
		return c.Reason + "; or a line that the journal has lost did", false
	case c.State == journal.IsKept:
		return "", false
	case !ever && c.Reason != unbegun && !c.Doubted():
		return "", false // the journal says that it was not begun
	}
	kind, k, err := e.begun(c)
	if err != nil {
		return "it could not be read back: " + err.Error(), false
	}
	found, err := kind.Look(ctx, k)
	if err != nil {
		return "it could not be read back: " + err.Error(), false
	}
	will, there := c.Will, false
	if ever {
		there = e.inFile(kind, k, c, found) && (c.Doubted() || !e.inFile(kind, k, c, c.Was))
	} else {
		if will, err = wanted(kind, found, k, c.After, c.Effect); err != nil {
			return "it could not be read back: " + err.Error(), false
		}
		there = will.File != nil && found.SameFile(will)
	}
	if there && !c.Held(journal.InFile) {
		return fmt.Sprintf("%s has %s, the value of this apply", found.Where(), c.After), false
	}
	return e.leftLive(kind, k, c, found, will, ever, took)
}

// inFile reports whether the file of a state has our value.
func (e *operation) inFile(kind Kind, k Knob, c *journal.Change, s journal.State) bool {
	s.Live = c.Will.Live
	return c.Will.File != nil && s.File != nil && kind.Ours(s, c.Will, k)
}

// leftLive is leftover for the value in force.
func (e *operation) leftLive(kind Kind, k Knob, c *journal.Change, found, will journal.State, ever,
	took bool) (why string, reboots bool) {
	if found.Live == nil || c.Dirty() {
		return "", false
	}
	if c.Effect == knob.Reboot { // what it should be was left to the boot
		w, err := kind.Want(found, k, c.After)
		if err == nil && w.Live != nil && found.SameLive(w) && !c.Held(journal.InLive) {
			return "it is " + c.After + " until the host boots", true
		}
		return "", false
	}
	if will.Live != nil && found.SameLive(will) && !c.Held(journal.InLive) &&
		(!ever || c.Doubted() || !c.Was.SameLive(will)) {
		return "it is " + liveOf(kind, k, found) + ", the value of this apply", false
	}
	if !ever && c.Reason != already {
		if now, moved := movedFrom(kind, found, k, c.Before, ""); moved {
			return fmt.Sprintf("it is %s; it was %s when it was planned, and the journal does not say who changed it",
				now, c.Before), false
		}
	}
	if took && c.State == journal.IsUndone && c.Effect == knob.Now && c.Was.Live != nil && !found.SameLive(c.Was) {
		return fmt.Sprintf("it is %s, and was %s before the apply", liveOf(kind, k, found), c.Before), false
	}
	return "", false
}

func keyOf(a knob.Address, instance string) [2]string { return [2]string{string(a), instance} }
