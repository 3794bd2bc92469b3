package render

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/act/journal"
)

// JournalMarkdown writes one journal in Markdown: each change with where it is
// kept and how it stands, and what can be done next.
func JournalMarkdown(w io.Writer, j *journal.Journal, st Style) error {
	return WriteMarkdown(w, JournalOutline(j, st))
}

// JournalListMarkdown writes the journals in Markdown, the newest first.
func JournalListMarkdown(w io.Writer, list []*journal.Journal, st Style) error {
	return WriteMarkdown(w, JournalListOutline(list, st))
}

var outcomeTones = map[journal.Outcome]Tone{journal.Whole: ToneGood, journal.Partly: ToneMind, journal.Interrupted: ToneBad,
	journal.IsDamaged: ToneBad, journal.Unread: ToneBad, journal.Abandoned: ToneMind}

// JournalOutline is a journal before any form. Of st the language counts.
func JournalOutline(j *journal.Journal, st Style) Outline {
	p := newPage(st)
	var o Outline
	o.heading(1, p.journalName(j))
	o.toned(outcomeTones[j.State], bold(capital(p.journalStands(j))))
	o.para(capital(p.journalOn(j)))
	owed, last := p.nextTold(j, false)
	for _, l := range owed {
		o.toned(ToneMind, l)
	}
	o.para(bold(last))
	// In the order in which they were made, below their instance.
	for i := 0; i < len(j.Changes); {
		k := i
		for k < len(j.Changes) && j.Changes[k].Instance == j.Changes[i].Instance {
			k++
		}
		p.journalOutline(&o, j.Changes[i:k])
		i = k
	}
	return o
}

// journalOutline is the changes of one instance, or of the host.
func (p *page) journalOutline(o *Outline, list []journal.Change) {
	of := list[0].Instance
	if of == "" {
		of = p.say("show/journal/the_host", "The host")
	}
	o.heading(2, of)
	t := Table{Caption: of, Head: []string{p.say("show/column/state", "state"), p.say("show/web/setting", "setting"), p.say("show/budget/before", "before"), p.say("show/budget/after", "after"), p.word(labelWhere)}}
	var more []Item
	for _, c := range list {
		t.Rows = append(t.Rows, []Prose{prose(p.word(stateWords[c.State])), prose(code(string(c.Address))), prose(code(shown(c.Before))), prose(code(shown(c.After))), prose(c.Where)})
		it := item(prose(code(string(c.Address)), p.colon()), c.Reason)
		var notes []Item
		for _, n := range c.Notes {
			notes = append(notes, item(nil, n))
		}
		if c.Left != "" {
			notes = append(notes, item(nil, p.say("show/journal/left", "left: {why}", "why", c.Left)))
		}
		if len(notes) > 0 {
			it.More = append(it.More, List{notes})
		}
		if c.Reason != "" || len(notes) > 0 {
			more = append(more, it)
		}
	}
	o.add(t)
	o.list(more)
}

// JournalListOutline is the journals, the newest first.
func JournalListOutline(list []*journal.Journal, st Style) Outline {
	p := newPage(st)
	var o Outline
	o.heading(1, "pgfettle journal")
	if len(list) == 0 {
		o.para(p.say("show/journal/none", "No journal: nothing was applied yet."))
		return o
	}
	t := Table{Caption: "pgfettle journal", Head: []string{p.say("show/column/journal", "journal"), p.say("show/column/begun", "begun"), p.say("show/column/state", "state"), p.say("show/column/changes", "changes")}}
	for i := len(list) - 1; i >= 0; i-- {
		j := list[i]
		t.Rows = append(t.Rows, []Prose{prose(code(j.ID)), prose(j.Started), prose(p.word(outcomeWords[j.State])), prose(p.tally(j))})
	}
	o.add(t)
	return o
}
