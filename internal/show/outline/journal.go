package outline

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
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

// Undo is, before anybody is asked, what an undo will take back: the changes of a journal that were begun, but for
// those of the instance that is given up.
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

// Undone is how an undo ended: what was left as somebody has made it since, what could not be taken back, and what
// is still owed.
func Undone(j *journal.Journal, c *say.Catalogue) Outline {
	return ended(j, c, true, journal.IsKept, journal.IsDone, journal.IsIntended, journal.IsUndoing, journal.IsAbandon)
}

// ended tells of the changes in some states, and of those that something is to be said of.
func ended(j *journal.Journal, c *say.Catalogue, now bool, states ...journal.ChangeState) Outline {
	p := WordsIn(c)
	var o Outline
	o.Heading(1, p.JournalName(j), p.Colon(), p.Word(OutcomeWords[j.State]), "; ", p.JournalTally(j))
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

// stateTones are how a change stands; the word itself stands beside it.
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
			From: Shown(c.Before), To: Shown(c.After), Where: c.Where, Reason: c.Reason}
		if c.Where != "" {
			x.In = p.Say("in {where}", "where", c.Where)
		}
		for _, n := range c.Notes {
			x.Notes = append(x.Notes, Note{Text: n, Tone: ToneMind})
		}
		if c.Left != "" {
			x.Notes = append(x.Notes, Note{Text: p.Say("left: {why}", "why", c.Left),
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
		o.Para(p.Say("No journal: nothing was applied yet."))
		return o
	}
	t := Table{Caption: "pgfettle journal", Head: []string{p.Say("journal"),
		p.Say("begun"), p.Say("state"),
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
	return p.Say("begun {when}", "when", typeset.Clean(j.Started)) + p.Colon() +
		p.Word(OutcomeWords[j.State])
}

func (p Words) JournalOn(j *journal.Journal) string {
	if j.Run.ID == "" {
		return p.Say("where and by what it was written is unknown")
	}
	if j.Run.Root != "" {
		return p.Say("on the folder {folder}, by {tool}", "folder", typeset.Clean(j.Run.Root),
			"tool", typeset.Clean(j.Run.Tool))
	}
	return p.Say("on host {host}, by {tool}", "host", typeset.Clean(j.Run.Hostname), "tool",
		typeset.Clean(j.Run.Tool))
}

// JournalNext is what is still owed or unknown, and the way on or back.
func (p Words) JournalNext(j *journal.Journal, now bool) (owed []string, last string) {
	owed = p.journalDamage(j)
	for _, o := range j.Pending {
		what := say.M("this is in force")
		if j.Undoing {
			what = say.M("its former values are in force")
		}
		of := o.Instance
		if of == "" {
			of = p.Say("The host")
		}
		owed = append(owed, p.Say("{instance} needs a {effect} before {what}.", "instance", of,
			"effect", o.Effect.String(), "what", what))
	}
	if n := waiting(j.Changes, knob.Reboot); n > 0 {
		owed = append(owed, p.Many(n, "{n} change is in force after a reboot of the host.",
			"{n} changes are in force after a reboot of the host."))
	}
	id, how := typeset.Clean(j.ID), ""
	if stops(j.Changes) {
		how = "--max-effect restart "
	}
	switch {
	case j.State == journal.Unread:
		return owed, p.Say("What it did is unknown. To read it, use the version of pgfettle that wrote it.")
	case j.State == journal.IsDamaged && !j.Undone():
		return owed, p.Say("To undo what it proves: pgfettle undo {id}", "id", how+id)
	case j.State == journal.IsDamaged:
		return owed, p.Say("What it proves is undone. The rest is unknown; {file} is the journal as it was found.",
			"file",
			typeset.Clean(j.Damage.Kept))
	case j.State == journal.Interrupted && j.Undoing:
		return owed, p.Say("To finish taking it back: pgfettle undo {id}", "id", how+id)
	case j.State == journal.Interrupted:
		return owed, p.Say("To finish it: pgfettle apply --resume {id}. To take it back: pgfettle undo {undo}", "id",
			id,
			"undo", how+id)
	case j.State == journal.Abandoned:
		return owed, p.Say("The rest is undone; the values that were given up are left as they are.")
	case j.State == journal.TakenBack && left(j.Changes):
		return owed, p.Say("It was undone; what is left was set since.")
	case j.State == journal.TakenBack && len(j.Pending) > 0:
		return owed, p.Say("Apart from that, everything is as it was.")
	case left(j.Changes) && !begun(j.Changes):
		return owed, p.Say("Not everything is as it was. To check again: pgfettle undo {id}",
			"id", how+id)
	case j.State == journal.TakenBack && someEditStands(j.Changes):
		return owed, p.Say("Nothing of ours is left; what somebody has changed since stays as it is.")
	case j.State == journal.TakenBack && !now:
		return owed, p.Say("Nothing of it was left when it was undone.")
	case j.State == journal.TakenBack:
		return owed, p.Say("Nothing of it is left.")
	case begun(j.Changes):
		return owed, p.Say("To take it back: pgfettle undo {id}", "id", how+id)
	}
	return owed, p.Say("Nothing of it is there to take back.")
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

// stops says whether a server is stopped to take the changes back.
func stops(list []journal.Change) bool {
	for i := range list {
		if list[i].Address == journal.WalLocation && list[i].Begun() {
			return true
		}
	}
	return false
}

// someEditStands says whether somebody's later edit stands.
func someEditStands(list []journal.Change) bool {
	for i := range list {
		if list[i].State == journal.IsKept {
			return true
		}
	}
	return false
}

// left says whether an undo read back a value that it had not expected.
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

// JournalTally counts changes by how they stand: "12 done, 1 failed".
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
			parts = append(parts, typeset.Digits(n[s])+" "+p.Word(StateWords[s]))
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
		return []string{p.Say("Its format is {format}, which this program does not read.",
			"format", typeset.Clean(j.Foreign))}
	}
	d := j.Damage
	if d == nil {
		return nil
	}
	out = append(out, p.Say("The journal is damaged. Line {line} and what follows it prove nothing: {reason}.", "line",
		d.Line, "reason",
		typeset.Clean(d.Reason)))
	if d.Planned > 0 {
		out = append(out, p.Say("Of its {n} planned changes not all are known.", "n",
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
