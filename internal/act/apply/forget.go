package apply

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// ofInstance reports whether a journal names an instance.
func ofInstance(j *journal.Journal, label string) bool {
	return slices.ContainsFunc(j.Changes, func(c journal.Change) bool { return c.Instance == label }) ||
		j.Damage != nil && slices.ContainsFunc(j.Damage.Unknown, func(u journal.Unknown) bool {
			return u.Instance == label
		})
}

// forgettable refuses to give up an instance that is here.
func (e *operation) forgettable(label string) error {
	if label == "" {
		return nil
	}
	here := e.instance(label) != nil && e.w.Root == "" // of a tree the snapshot has every instance that was named
	if _, err := e.w.Target.Stat(label); err == nil && strings.HasPrefix(label, "/") {
		here = true
	}
	if !here {
		return nil
	}
	return &say.Problem{Message: say.M("the instance {label} is here", "label", label),
		Detail: say.M("its changes can be undone; nothing was changed"),
		Hint:   say.M("undo without --forget-instance"), Code: say.CodeRefused}
}

// forget notes the changes of an instance that is gone as abandoned.
func (e *operation) forget(label string) error {
	if label == "" {
		return nil
	}
	for i := range e.log.Changes {
		c := &e.log.Changes[i]
		if c.Instance != label || !c.Begun() && c.State != journal.IsPlanned {
			continue
		}
		why := "its instance is gone, and the value is left as it may be in its files"
		if c.State == journal.IsPlanned {
			why = "its instance is gone, and it was not begun"
		}
		e.w.tell(fmt.Sprintf("%s: abandoned: %s", e.name(c), why))
		if err := e.append(journal.Line{Kind: journal.Abandon, N: c.N, Reason: why}); err != nil {
			return err
		}
	}
	return nil
}

// unreached is the error of a change that there is no way to.
func (e *operation) unreached(c *journal.Change, err error) error {
	no := &say.Problem{Message: say.M("{address} could not be undone", "address", string(c.Address)),
		Detail: say.OfError(err),
		Hint:   say.M("when the cause is gone, 'pgfettle undo {id}' tries again", "id", e.log.ID), Code: say.CodePartly}
	if e.w.gone(c.Instance) {
		no.Hint = say.M("when {instance} is available again, 'pgfettle undo {id}' tries again; if it no longer "+
			"exists, 'pgfettle undo --forget-instance {instance} {id}' closes the apply", "instance", c.Instance,
			"id", e.log.ID)
	}
	return no
}

// undoVerdict is the error of an undo that came to its end and did not bring everything back, or cannot know that it
// did. bad are changes that could not be undone.
func (e *operation) undoVerdict(bad []error) error {
	var what []say.Message
	hint := say.M("when the cause is gone, 'pgfettle undo {id}' tries again", "id", e.log.ID)
	for _, err := range bad {
		what = append(what, say.OfError(err))
		if p, ok := errors.AsType[*say.Problem](err); ok && !p.Hint.IsZero() {
			what[len(what)-1], hint = say.All(": ", p.Message, p.Detail), p.Hint
		}
	}
	for i := range e.log.Changes {
		if c := &e.log.Changes[i]; c.Left != "" {
			what = append(what, say.M("{change}: {why}", "change", e.name(c), "why", c.Left))
		}
	}
	no := &say.Problem{Message: say.M("partly undone"), Detail: say.All("; ", what...), Hint: hint,
		Code: say.CodePartly}
	switch d := e.log.Damage; {
	case d != nil:
		no.Message = say.M("the journal is damaged: the changes of its intact part were undone, and the rest is " +
			"unknown")
		if len(bad) > 0 {
			no.Message = say.M("the journal is damaged, and not all changes of its intact part could be undone")
		}
		what = append([]say.Message{damageText(e.log.Journal)}, what...)
		for _, u := range d.Unproven(e.log.Journal) {
			what = append(what, unknownText(u))
		}
		no.Detail = say.All("; ", what...)
		no.Hint = say.M("look at what is named, and at {kept}, which is the journal as it was found", "kept", d.Kept)
	case len(what) == 0:
		return nil
	case len(bad) == 0:
		no.Message = say.M("not everything is as it was before the apply")
		no.Hint = say.M("the journal may have lost lines at its end: look at what is named; when it is as it should "+
			"be, 'pgfettle undo {id}' looks again", "id", e.log.ID)
	}
	return no
}

func unknownText(u journal.Unknown) say.Message {
	s := string(u.Address)
	if u.Instance != "" {
		s += "@" + u.Instance
	}
	if u.Path != "" {
		return say.M("{change} in {path}: unknown", "change", s, "path", u.Path)
	}
	return say.M("{change}: unknown", "change", s)
}
