package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journal"
	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// JournalSchema names the version of the JSON forms of a journal and of a list
// of journals.
const JournalSchema = "pgfettle.journal.show/1"

// stateTone colours how a change stands; the word itself stands beside it.
var stateTone = map[journal.ChangeState]tone{
	journal.IsDone: green, journal.IsFailed: red, journal.IsKept: yellow, journal.IsIntended: red, journal.IsUndoing: red,
	journal.IsPlanned: faint, journal.IsSkipped: faint,
}

// outcomeWords say how an apply stands.
var outcomeWords = map[journal.Outcome]string{
	journal.Whole: "applied", journal.Partly: "partly applied", journal.TakenBack: "undone", journal.Interrupted: "interrupted",
}

// JournalText writes one journal for a person: each change with where it is
// kept and how it stands, and what can be done next.
func JournalText(w io.Writer, j *journal.Journal, st Style) error {
	p := newPage(st)
	p.line(p.tint(strong, "Journal "+clean(j.ID)), ", begun "+clean(j.Started)+": ", outcomeWords[j.State])
	at := "host " + clean(j.Run.Hostname)
	if j.Run.Root != "" {
		at = "the folder " + clean(j.Run.Root)
	}
	p.para("  ", plain, "on "+at+", by "+clean(j.Run.Tool))
	p.journalChanges(j.Changes)
	p.next(j)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// journalChanges lists changes below their instance, in the order in which they
// were made.
func (p *page) journalChanges(list []journal.Change) {
	name := 0
	for _, c := range list {
		name = max(name, runes(clean(string(c.Address))))
	}
	name = min(name, 44) // beyond it one long name would push the values out of sight
	at := "-"
	for _, c := range list {
		if c.Instance != at {
			at = c.Instance
			p.gap()
			if at == "" {
				p.line(p.tint(strong, "The host"))
			} else {
				p.line(p.tint(strong, clean(at)))
			}
		}
		p.line("  ", p.tint(stateTone[c.State], pad(string(c.State), len("intended"))), "  ", pad(clean(string(c.Address)), name), "  ", shown(c.Before), " → ", shown(c.After))
		if c.Where != "" {
			p.para("            ", faint, "in "+c.Where)
		}
		if c.Reason != "" {
			p.para("            ", plain, c.Reason)
		}
		for _, n := range c.Notes {
			p.para("            ", yellow, n)
		}
	}
}

// next says what is still owed, and how to go on or back.
func (p *page) next(j *journal.Journal) {
	p.gap()
	for _, o := range j.Pending {
		what := "this is"
		if j.Undoing {
			what = "its former values are"
		}
		p.para("", yellow, fmt.Sprintf("%s needs a %s before %s in force.", o.Instance, o.Effect, what))
	}
	if n := waiting(j.Changes, knob.Reboot); n > 0 {
		p.para("", yellow, count(n, "change is", "changes are")+" in force after a reboot of the host.")
	}
	id, how := clean(j.ID), ""
	if stops(j.Changes) {
		how = "--max-effect restart "
	}
	switch {
	case j.State == journal.Interrupted && j.Undoing:
		p.para("", strong, "To finish taking it back: pgfettle undo "+how+id)
	case j.State == journal.Interrupted:
		p.para("", strong, "To finish it: pgfettle apply --resume "+id+". To take it back: pgfettle undo "+how+id)
	case j.State == journal.TakenBack && strings.Contains(tally(j.Changes), string(journal.IsKept)):
		p.para("", strong, "Nothing of ours is left; what somebody has changed since stays as it is.")
	case j.State == journal.TakenBack:
		p.para("", strong, "Nothing of it is left.")
	case begun(j.Changes):
		p.para("", strong, "To take it back: pgfettle undo "+how+id)
	default:
		p.para("", strong, "Nothing of it is there to take back.")
	}
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
		if list[i].Address == apply.WalLocation && list[i].Begun() {
			return true
		}
	}
	return false
}

func begun(list []journal.Change) bool {
	for i := range list {
		if list[i].Begun() {
			return true
		}
	}
	return false
}

// JournalListText writes the journals, the newest first, one line each.
func JournalListText(w io.Writer, list []*journal.Journal, st Style) error {
	p := newPage(st)
	if len(list) == 0 {
		p.para("", plain, "No journal: nothing was applied yet.")
	}
	for i := len(list) - 1; i >= 0; i-- {
		j := list[i]
		p.line(pad(clean(j.ID), 24), "  ", clean(j.Started), "  ", pad(string(j.State), len("interrupted")), "  ", tally(j.Changes))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// tally counts changes by how they stand: "12 done, 1 failed".
func tally(list []journal.Change) string {
	n := map[journal.ChangeState]int{}
	for _, c := range list {
		n[c.State]++
	}
	var parts []string
	for _, s := range []journal.ChangeState{journal.IsDone, journal.IsUndone, journal.IsFailed, journal.IsKept, journal.IsSkipped,
		journal.IsIntended, journal.IsUndoing, journal.IsPlanned} {
		if n[s] > 0 {
			parts = append(parts, digits(n[s])+" "+string(s))
		}
	}
	if len(parts) == 0 {
		return "no changes"
	}
	return strings.Join(parts, ", ")
}

// JournalJSON writes one journal.
func JournalJSON(w io.Writer, j *journal.Journal) error {
	doc := struct {
		Schema   string `json:"schema"`
		Hostname string `json:"hostname"`
		Root     string `json:"root,omitempty"`
		Tool     string `json:"tool"`
		Plan     string `json:"plan"`
		*journal.Journal
	}{JournalSchema, j.Run.Hostname, j.Run.Root, j.Run.Tool, j.Run.Plan, j}
	return writeJSON(w, doc)
}

// JournalListJSON writes the journals, the oldest first, without their changes.
func JournalListJSON(w io.Writer, list []*journal.Journal) error {
	type entry struct {
		ID      string          `json:"id"`
		Started string          `json:"started"`
		State   journal.Outcome `json:"state"`
		Changes int             `json:"changes"`
	}
	out := []entry{}
	for _, j := range list {
		out = append(out, entry{j.ID, j.Started, j.State, len(j.Changes)})
	}
	return writeJSON(w, struct {
		Schema   string  `json:"schema"`
		Journals []entry `json:"journals"`
	}{JournalSchema, out})
}
