package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// unfinished refuses to start while an apply of the same parts is incomplete: its knobs may be before or after, and the
// new one would take either for the origin. An apply to other instances does not conflict.
func (w *System) unfinished(chosen []plan.Change) error {
	list, err := journalfile.List(w.Target, w.dir())
	if err != nil {
		return err
	}
	mine := partsOf(chosen)
	for _, j := range list {
		if j.Finished() || !w.owns(j) {
			continue
		}
		if j.Foreign != "" {
			return &say.Problem{Message: say.OfError((&journal.ForeignError{ID: j.ID, Format: j.Foreign})),
				Detail: say.M("whether that apply came to its end is not known"),
				Hint: say.M("undo it with the version of pgfettle that wrote it, or move its file out of {dir}",
					"dir", w.dir()),
				Code: say.CodeRefused}
		}
		part, shared := mine.shares(openParts(j))
		if !shared && !boundless(j) {
			continue
		}
		return w.inTheWay(j, part, shared)
	}
	return nil
}

// owns reports whether a journal is of this host or tree. One that does not say is taken to be where it lies.
func (w *System) owns(j *journal.Journal) bool {
	return j.Run.ID == "" || j.Run.Of(w.Hostname, w.Root)
}

// openParts are the parts in which something of a journal may still be under way.
func openParts(j *journal.Journal) parts {
	p := parts{}
	for i := range j.Changes {
		if c := &j.Changes[i]; c.Begun() || c.State == journal.IsPlanned {
			p.add(c.Address, c.Instance)
		}
	}
	if j.Damage != nil {
		for _, u := range j.Damage.Unknown {
			p.add(u.Address, u.Instance)
		}
	}
	return p
}

// boundless reports whether a journal may be about more than can be read.
func boundless(j *journal.Journal) bool {
	return !j.Recorded() && (j.Run.ID == "" || j.Damage.Planned > 0)
}

func (w *System) inTheWay(j *journal.Journal, part string, shared bool) error {
	no := &say.Problem{Message: say.M("apply {id} was interrupted and is not finished", "id", j.ID),
		Hint: say.M("finish it with 'pgfettle apply --resume', or take it back with 'pgfettle undo {id}'", "id", j.ID),
		Code: say.CodeRefused}
	switch {
	case j.Damage != nil:
		no.Message = say.M("the journal of apply {id} is damaged", "id", j.ID)
		no.Detail = damageText(j)
		no.Hint = say.M("look at it with 'pgfettle journal show {id}'; 'pgfettle undo {id}' undoes what the intact "+
			"part shows, and the journal no longer blocks others", "id", j.ID)
	case shared && part == theHost:
		no.Detail = say.M("both change the kernel or the boot of the host")
	case shared:
		no.Detail = say.M("both change the instance {part}", "part", part)
	}
	for part := range openParts(j) {
		if w.gone(part) {
			no.Hint = say.All("; ", no.Hint, say.M("the instance {instance} is not found: if it is gone for good, "+
				"'pgfettle undo --forget-instance {instance} {id}' undoes the rest", "instance", part, "id", j.ID))
			break
		}
	}
	return no
}

// gone reports whether a part is an instance whose data directory does not exist.
func (w *System) gone(part string) bool {
	if !path.IsAbs(part) {
		return false
	}
	_, err := w.Target.Stat(part)
	return errors.Is(err, fs.ErrNotExist)
}

func damageText(j *journal.Journal) say.Message {
	return say.M("line {line} and what follows it prove nothing: {reason}", "line", fmt.Sprint(j.Damage.Line),
		"reason", j.Damage.Reason)
}
