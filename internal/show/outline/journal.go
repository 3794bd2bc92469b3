package outline

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var outcomeTones = map[journal.Outcome]Tone{journal.Whole: ToneGood, journal.Partly: ToneMind,
	journal.Interrupted: ToneBad,
	journal.IsDamaged:   ToneBad, journal.Unread: ToneBad, journal.Abandoned: ToneMind}

// Journal is a journal before any form: each change with where it is kept and how it stands,
// and what can be done next.
func Journal(j *journal.Journal, c *say.Catalogue) Outline {
	p := WordsIn(c)
	var o Outline
	o.Heading(1, p.JournalName(j))
	p.journalBegun(&o, j)
	p.journalNext(&o, j, false)
	p.journalChanges(&o, j.Changes)
	return o
}

// Undo is, before the confirmation, what an undo will undo: the changes of a journal that were begun, except those of
// the instance that is given up.
func Undo(j *journal.Journal, list []journal.Change, c *say.Catalogue) Outline {
	p := WordsIn(c)
	var o Outline
	o.Heading(1, p.JournalName(j))
	p.journalBegun(&o, j)
	p.journalChanges(&o, list)
	return o
}

// Applied is how an apply ended: what did not go as planned, what is still owed, and how to take it back.
func Applied(j *journal.Journal, c *say.Catalogue) Outline {
	return ended(j, c, false, journal.IsFailed, journal.IsKept, journal.IsSkipped, journal.IsIntended,
		journal.IsPlanned, journal.IsUndoing)
}

// Undone is how an undo ended: what was kept because others changed it since, what could not be undone, and what is
// still owed.
func Undone(j *journal.Journal, c *say.Catalogue) Outline {
	return ended(j, c, true, journal.IsKept, journal.IsDone, journal.IsIntended, journal.IsUndoing, journal.IsAbandon)
}

// ended reports the changes in some states, and those with a remark.
func ended(j *journal.Journal, c *say.Catalogue, now bool, states ...journal.ChangeState) Outline {
	p := WordsIn(c)
	var o Outline
	o.Heading(1, p.JournalName(j), p.Colon(), p.Word(OutcomeWords[j.State]), p.Semicolon(), p.JournalTally(j))
	var list []journal.Change
	for _, x := range j.Changes {
		if slices.Contains(states, x.State) || len(x.Notes) > 0 || x.Left != "" {
			list = append(list, x)
		}
	}
	p.journalChanges(&o, list)
	p.journalNext(&o, j, now)
	return o
}

// journalBegun is when it was begun, how it stands, and where.
func (p Words) journalBegun(o *Outline, j *journal.Journal) {
	o.Toned(outcomeTones[j.State], Bold(typeset.Capital(p.JournalStands(j))))
	o.Para(typeset.Capital(p.JournalOn(j)))
}

// journalNext is what is owed, and the way on or back. now says that an undo has just read everything back.
func (p Words) journalNext(o *Outline, j *journal.Journal, now bool) {
	owed, last := p.JournalNext(j, now)
	var s Summary
	for _, l := range owed {
		s.Lines = append(s.Lines, Para{Text: Join(l), Tone: ToneMind})
	}
	s.Lines = append(s.Lines, Para{Text: Join(Bold(last))})
	o.Add(s)
}

// journalChanges are changes in the order in which they were made, below their instance.
func (p Words) journalChanges(o *Outline, list []journal.Change) {
	for i := 0; i < len(list); {
		k := i
		for k < len(list) && list[k].Instance == list[i].Instance {
			k++
		}
		p.journalOutline(o, list[i:k])
		i = k
	}
}

// stateTones are how a change stands; the word itself stands next to it.
var stateTones = map[journal.ChangeState]Tone{journal.IsDone: ToneGood, journal.IsFailed: ToneBad,
	journal.IsKept:     ToneMind,
	journal.IsIntended: ToneBad, journal.IsUndoing: ToneBad, journal.IsPlanned: ToneNote, journal.IsSkipped: ToneNote}

// journalOutline is the changes of one instance, or of the host.
func (p Words) journalOutline(o *Outline, list []journal.Change) {
	of := list[0].Instance
	if of == "" {
		of = p.Say("The host")
	}
	o.Heading(2, of)
	out := Changes{Caption: of, Words: p.changeWords()}
	out.Words.State, out.Words.Where = p.Say("state"), p.Word(labelWhere)
	for _, c := range list {
		x := Change{State: p.Word(StateWords[c.State]), StateTone: stateTones[c.State], Name: string(c.Address),
			From: Shown(c.Before), To: Shown(short(c)), Where: c.Where, Reason: gapwords.In(p.catalog, c.Reason)}
		if c.Where != "" && !c.Address.Creates() {
			x.In = p.Say("where: {where}", "where", c.Where)
		}
		for _, n := range c.Notes {
			x.Notes = append(x.Notes, Note{Text: gapwords.In(p.catalog, n), Tone: ToneMind})
		}
		if c.Left != "" {
			x.Notes = append(x.Notes, Note{Text: p.Say("not restored: {why}", "why", gapwords.Arg(c.Left)),
				Tone: ToneBad})
		}
		out.List = append(out.List, x)
	}
	o.Add(out)
}

// Journals is the journals, the newest first.
func Journals(list []*journal.Journal, c *say.Catalogue) Outline {
	p := WordsIn(c)
	var o Outline
	o.Command("pgfettle journal")
	if len(list) == 0 {
		o.Para(p.Say("No journals: nothing was applied yet."))
		return o
	}
	t := Table{Caption: "pgfettle journal", Head: []string{p.Say("journal"),
		p.Say("started"), p.Say("state"),
		p.Say("changes")}}
	for i := len(list) - 1; i >= 0; i-- {
		j := list[i]
		t.Rows = append(t.Rows, []Prose{Join(Code(j.ID)), Join(j.Started), Join(p.Word(OutcomeWords[j.State])),
			Join(p.JournalTally(j))})
	}
	o.Add(t)
	return o
}

func (p Words) JournalName(j *journal.Journal) string {
	return p.Say("Journal {id}", "id", typeset.Clean(j.ID))
}

// JournalStands is when it was begun and how it stands.
func (p Words) JournalStands(j *journal.Journal) string {
	return p.Say("started {when}: {outcome}", "when", typeset.Clean(j.Started), "outcome", OutcomeWords[j.State])
}

func (p Words) JournalOn(j *journal.Journal) string {
	if j.Run.ID == "" {
		return p.Say("host and program unknown")
	}
	if j.Run.Root != "" {
		return p.Say("in directory {directory}, by {tool}", "directory", typeset.Clean(j.Run.Root),
			"tool", typeset.Clean(j.Run.Tool))
	}
	return p.Say("on host {host}, by {tool}", "host", typeset.Clean(j.Run.Hostname), "tool",
		typeset.Clean(j.Run.Tool))
}

// JournalNext is what is still owed or unknown, and the way on or back.
func (p Words) JournalNext(j *journal.Journal, now bool) (owed []string, last string) {
	owed = p.journalDamage(j)
	for _, o := range j.Pending {
		owed = append(owed, p.pending(o, j.Undoing))
	}
	if n := waiting(j.Changes, knob.Reboot); n > 0 {
		owed = append(owed, p.Many(n, "{n} change takes effect after a host reboot.",
			"{n} changes take effect after a host reboot."))
	}
	id, how := typeset.Clean(j.ID), ""
	if stops(j.Changes) {
		how = "--max-effect restart "
	}
	switch {
	case j.State == journal.Unread:
		return owed, p.Say("What it did is unknown. To read it, use the version of pgfettle that wrote it.")
	case j.State == journal.IsDamaged && !j.Undone():
		return owed, p.Say("To undo the changes that it records reliably: pgfettle undo {id}", "id", how+id)
	case j.State == journal.IsDamaged:
		return owed, p.Say("The changes that it records reliably are undone. The rest is unknown. The damaged "+
			"journal was kept: {file}",
			"file",
			typeset.Clean(j.Damage.Kept))
	case j.State == journal.Interrupted && j.Undoing:
		return owed, p.Say("To finish the undo: pgfettle undo {id}", "id", how+id)
	case j.State == journal.Interrupted:
		return owed, p.Say("To finish it: pgfettle apply --resume {id}. To undo it: pgfettle undo {undo}", "id",
			id,
			"undo", how+id)
	case j.State == journal.Abandoned:
		return owed, p.Say("All other changes are undone. The abandoned values remain.")
	case j.State == journal.TakenBack && left(j.Changes):
		return owed, p.Say("It was undone. The remaining values were set later.")
	case j.State == journal.TakenBack && len(j.Pending) > 0:
		return owed, p.Say("Everything else has its former value.")
	case left(j.Changes) && !begun(j.Changes):
		return owed, p.Say("Some values differ from before. To check again: pgfettle undo {id}",
			"id", how+id)
	case j.State == journal.TakenBack && someEditStands(j.Changes):
		return owed, p.Say("All changes are undone. Values changed by others since then were kept.")
	case j.State == journal.TakenBack && !now:
		return owed, p.Say("All changes were undone.")
	case j.State == journal.TakenBack:
		return owed, p.Say("All changes are undone.")
	case begun(j.Changes):
		return owed, p.Say("To undo it: pgfettle undo {id}", "id", how+id)
	}
	return owed, p.Say("There is nothing to undo.")
}

// pending is what has to be done before changes, or the former values, are in effect.
func (p Words) pending(o journal.Pending, undoing bool) string {
	of := typeset.Clean(o.Instance)
	if of == "" {
		of = p.Say("The host")
	}
	var text say.Template
	switch {
	case o.Effect == knob.Reboot && undoing:
		text = "{instance}: reboot required before the former values take effect."
	case o.Effect == knob.Reboot:
		text = "{instance}: reboot required before the changes take effect."
	case o.Effect == knob.Restart && undoing:
		text = "{instance}: restart required before the former values take effect."
	case o.Effect == knob.Restart:
		text = "{instance}: restart required before the changes take effect."
	case undoing:
		text = "{instance}: reload required before the former values take effect."
	default:
		text = "{instance}: reload required before the changes take effect."
	}
	return p.Say(text, "instance", of)
}

func waiting(list []journal.Change, e knob.Effect) int {
	n := 0
	for _, c := range list {
		if c.State == journal.IsDone && c.Effect == e {
			n++
		}
	}
	return n
}

// stops reports whether a server is stopped to take the changes back.
func stops(list []journal.Change) bool {
	for i := range list {
		if list[i].Address == journal.WalLocation && list[i].Begun() {
			return true
		}
	}
	return false
}

// someEditStands reports whether a later edit was kept.
func someEditStands(list []journal.Change) bool {
	for i := range list {
		if list[i].State == journal.IsKept {
			return true
		}
	}
	return false
}

// left reports whether an undo read back a value that it had not expected.
func left(list []journal.Change) bool {
	return slices.ContainsFunc(list, func(c journal.Change) bool { return c.Left != "" })
}

func begun(list []journal.Change) bool {
	for i := range list {
		if list[i].Begun() {
			return true
		}
	}
	return false
}

// JournalTally counts changes by how they stand: "12 applied, 1 failed".
func (p Words) JournalTally(j *journal.Journal) string {
	n := map[journal.ChangeState]int{}
	for _, c := range j.Changes {
		n[c.State]++
	}
	var parts []string
	for _, s := range []journal.ChangeState{journal.IsDone, journal.IsUndone, journal.IsFailed, journal.IsKept,
		journal.IsSkipped,
		journal.IsIntended, journal.IsUndoing, journal.IsPlanned, journal.IsAbandon} {
		if n[s] > 0 {
			parts = append(parts, p.StateCount(s, n[s]))
		}
	}
	switch {
	case j.Damage != nil || j.Foreign != "":
		parts = append(parts, p.Say("the rest unknown"))
		if len(parts) == 1 {
			return p.Say("unknown")
		}
	case len(parts) == 0:
		return p.Say("no changes")
	}
	return strings.Join(parts, ", ")
}

// journalDamage says what of a journal is not known, and which settings its lines
// name that prove nothing.
func (p Words) journalDamage(j *journal.Journal) (out []string) {
	if j.Foreign != "" {
		return []string{p.Say("Its format is {format}, which this version does not read.",
			"format", typeset.Clean(j.Foreign))}
	}
	d := j.Damage
	if d == nil {
		return nil
	}
	out = append(out, p.Say("The journal is damaged: line {line} and all later lines cannot be trusted ({reason}).",
		"line", d.Line, "reason", gapwords.Arg(typeset.Clean(d.Reason))))
	if d.Planned > 0 {
		out = append(out, p.Say("Not all of its {n} planned changes are known.", "n",
			d.Planned))
	}
	for _, u := range d.Unproven(j) {
		of, at := u.Instance, u.Path
		if of == "" {
			of = p.Say("The host")
		}
		if at == "" {
			at = p.Say("place unknown")
		}
		out = append(out, p.Say("Unknown: {address} ({instance}; {where})", "address",
			typeset.Clean(string(u.Address)), "instance", typeset.Clean(of), "where", typeset.Clean(at)))
	}
	return out
}

// short is what a change was set to: of what 'pgfettle create' makes in a few words.
func short(c journal.Change) string {
	if c.Address.Creates() {
		return newcluster.Short(c.After)
	}
	return c.After
}
