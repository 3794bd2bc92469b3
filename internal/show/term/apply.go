package term

import (
	"io"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Undo tells, before anybody is asked, what an undo will take back: the changes of a
// journal that were begun, but for those of the instance that is given up.
func Undo(w io.Writer, j *journal.Journal, list []journal.Change, st Style) error {
	p := newPage(st)
	p.line(p.tint(strong, p.JournalName(j)), ", ", p.JournalStands(j))
	p.para("  ", plain, p.JournalOn(j))
	p.journalChanges(list)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// Left tells what of a plan is left out and why, those of one reason and one
// instance together.
func Left(w io.Writer, left []selection.Left, st Style) error {
	if len(left) == 0 {
		return nil
	}
	p := newPage(st)
	p.gap()
	p.line(p.tint(strong, p.Say("show/apply/left", "Left out")))
	type part struct{ instance, reason string }
	var order []part
	of := map[part][]string{}
	for _, l := range left {
		at := part{l.Change.Instance, l.Reason}
		if of[at] == nil {
			order = append(order, at)
		}
		of[at] = append(of[at], typeset.Clean(string(l.Change.Address)))
	}
	for _, at := range order {
		names := strings.Join(of[at], ", ")
		if at.instance != "" {
			names = p.Say("show/apply/left_of", "{names} of {instance}", "names", names, "instance", typeset.Clean(at.instance))
		}
		p.para("  - ", plain, names+p.Colon()+at.reason)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// Forewarned tells what is to be known before anything is changed, but for what
// the warnings of the plan above have told already.
func Forewarned(w io.Writer, list []selection.Warning, told []string, st Style) error {
	var out []string
	for _, f := range list {
		if slices.ContainsFunc(told, func(t string) bool { return strings.HasSuffix(t, ": "+f.Text) }) {
			continue
		}
		var names []string
		for _, of := range f.Of {
			names = append(names, of.String())
		}
		out = append(out, strings.Join(names, ", ")+": "+f.Text)
	}
	p := newPage(st)
	p.warnings(out)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// Applied tells how an apply ended: what did not go as planned, what is
// still owed, and how to take it back.
func Applied(w io.Writer, j *journal.Journal, st Style) error {
	return ended(w, j, st, false, map[journal.ChangeState]bool{journal.IsFailed: true, journal.IsKept: true, journal.IsSkipped: true, journal.IsIntended: true, journal.IsPlanned: true, journal.IsUndoing: true})
}

// Undone tells how an undo ended: what was left as somebody has made it
// since, what could not be taken back, and what is still owed.
func Undone(w io.Writer, j *journal.Journal, st Style) error {
	return ended(w, j, st, true, map[journal.ChangeState]bool{journal.IsKept: true, journal.IsDone: true, journal.IsIntended: true, journal.IsUndoing: true, journal.IsAbandon: true})
}

func ended(w io.Writer, j *journal.Journal, st Style, now bool, tell map[journal.ChangeState]bool) error {
	p := newPage(st)
	p.gap()
	p.line(p.tint(strong, p.Say("show/journal/name", "Journal {id}", "id", typeset.Clean(j.ID))), p.Colon(), p.Word(outline.OutcomeWords[j.State]), "; ", p.JournalTally(j))
	var list []journal.Change
	for _, c := range j.Changes {
		if tell[c.State] || len(c.Notes) > 0 || c.Left != "" {
			list = append(list, c)
		}
	}
	p.journalChanges(list)
	p.next(j, now)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) warnings(list []string) {
	if len(list) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(yellow, p.Say("show/plan/warnings", "Before you act")))
	for _, w := range list {
		p.para("  ! ", plain, w)
	}
}
