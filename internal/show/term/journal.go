package term

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// stateTone colours how a change stands; the word itself stands beside it.
var stateTone = map[journal.ChangeState]tone{
	journal.IsDone: green, journal.IsFailed: red, journal.IsKept: yellow, journal.IsIntended: red, journal.IsUndoing: red,
	journal.IsPlanned: faint, journal.IsSkipped: faint,
}

// Journal writes one journal for a person: each change with where it is
// kept and how it stands, and what can be done next.
func Journal(w io.Writer, j *journal.Journal, st Style) error {
	p := newPage(st)
	p.line(p.tint(strong, p.JournalName(j)), ", ", p.JournalStands(j))
	p.para("  ", plain, p.JournalOn(j))
	p.journalChanges(j.Changes)
	p.next(j, false)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// journalChanges lists changes below their instance, in the order in which they
// were made.
func (p *page) journalChanges(list []journal.Change) {
	name := 0
	for _, c := range list {
		name = max(name, typeset.Width(typeset.Clean(string(c.Address))))
	}
	name = min(name, 44) // beyond it one long name would push the values out of sight
	at, state := "-", 0
	for _, m := range outline.StateWords {
		state = max(state, typeset.Width(p.Word(m)))
	}
	for _, c := range list {
		if c.Instance != at {
			at = c.Instance
			p.gap()
			if at == "" {
				p.line(p.tint(strong, p.Say("show/journal/the_host", "The host")))
			} else {
				p.line(p.tint(strong, typeset.Clean(at)))
			}
		}
		p.line("  ", p.tint(stateTone[c.State], typeset.Pad(p.Word(outline.StateWords[c.State]), state)), "  ", typeset.Pad(typeset.Clean(string(c.Address)), name), "  ", outline.Shown(c.Before), " → ", outline.Shown(c.After))
		if c.Where != "" {
			p.para("            ", faint, p.Say("show/journal/in", "in {where}", "where", c.Where))
		}
		if c.Reason != "" {
			p.para("            ", plain, c.Reason)
		}
		if c.Left != "" {
			p.para("            ", red, p.Say("show/journal/left", "left: {why}", "why", c.Left))
		}
		for _, n := range c.Notes {
			p.para("            ", yellow, n)
		}
	}
}

// next says what is still owed, and how to go on or back. now says that an undo has
// just read everything back.
func (p *page) next(j *journal.Journal, now bool) {
	p.gap()
	owed, last := p.JournalNext(j, now)
	for _, l := range owed {
		p.para("", yellow, l)
	}
	p.para("", strong, last)
}

// Journals writes the journals, the newest first, one line each.
func Journals(w io.Writer, list []*journal.Journal, st Style) error {
	p := newPage(st)
	if len(list) == 0 {
		p.para("", plain, p.Say("show/journal/none", "No journal: nothing was applied yet."))
	}
	for i := len(list) - 1; i >= 0; i-- {
		j := list[i]
		p.line(typeset.Pad(typeset.Clean(j.ID), 24), "  ", typeset.Clean(j.Started), "  ", typeset.Pad(string(j.State), len("interrupted")), "  ", p.JournalTally(j))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}
