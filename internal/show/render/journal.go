package render

import (
	"io"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journal"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// JournalSchema names the version of the JSON forms of a journal and of a list
// of journals.
const JournalSchema = "pgfettle.journal.show/1"

// stateTone colours how a change stands; the word itself stands beside it.
var stateTone = map[journal.ChangeState]tone{
	journal.IsDone: green, journal.IsFailed: red, journal.IsKept: yellow, journal.IsIntended: red, journal.IsUndoing: red,
	journal.IsPlanned: faint, journal.IsSkipped: faint,
}

// JournalText writes one journal for a person: each change with where it is
// kept and how it stands, and what can be done next.
func JournalText(w io.Writer, j *journal.Journal, st Style) error {
	p := newPage(st)
	p.line(p.tint(strong, p.journalName(j)), ", ", p.journalStands(j))
	p.para("  ", plain, p.journalOn(j))
	p.journalChanges(j.Changes)
	p.next(j, false)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) journalName(j *journal.Journal) string {
	return p.say("show/journal/name", "Journal {id}", "id", clean(j.ID))
}

// journalStands is when it was begun and how it stands.
func (p *page) journalStands(j *journal.Journal) string {
	return p.say("show/journal/begun", "begun {when}", "when", clean(j.Started)) + p.colon() + p.word(outcomeWords[j.State])
}

func (p *page) journalOn(j *journal.Journal) string {
	if j.Run.ID == "" {
		return p.say("show/journal/no_head", "where and by what it was written is unknown")
	}
	if j.Run.Root != "" {
		return p.say("show/journal/on_folder", "on the folder {folder}, by {tool}", "folder", clean(j.Run.Root), "tool", clean(j.Run.Tool))
	}
	return p.say("show/journal/on_host", "on host {host}, by {tool}", "host", clean(j.Run.Hostname), "tool", clean(j.Run.Tool))
}

// journalChanges lists changes below their instance, in the order in which they
// were made.
func (p *page) journalChanges(list []journal.Change) {
	name := 0
	for _, c := range list {
		name = max(name, runes(clean(string(c.Address))))
	}
	name = min(name, 44) // beyond it one long name would push the values out of sight
	at, state := "-", 0
	for _, m := range stateWords {
		state = max(state, runes(p.word(m)))
	}
	for _, c := range list {
		if c.Instance != at {
			at = c.Instance
			p.gap()
			if at == "" {
				p.line(p.tint(strong, p.say("show/journal/the_host", "The host")))
			} else {
				p.line(p.tint(strong, clean(at)))
			}
		}
		p.line("  ", p.tint(stateTone[c.State], pad(p.word(stateWords[c.State]), state)), "  ", pad(clean(string(c.Address)), name), "  ", shown(c.Before), " → ", shown(c.After))
		if c.Where != "" {
			p.para("            ", faint, p.say("show/journal/in", "in {where}", "where", c.Where))
		}
		if c.Reason != "" {
			p.para("            ", plain, c.Reason)
		}
		if c.Left != "" {
			p.para("            ", red, p.say("show/journal/left", "left: {why}", "why", c.Left))
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
	owed, last := p.nextTold(j, now)
	for _, l := range owed {
		p.para("", yellow, l)
	}
	p.para("", strong, last)
}

// nextTold is what is still owed or unknown, and the way on or back.
func (p *page) nextTold(j *journal.Journal, now bool) (owed []string, last string) {
	owed = p.journalDamage(j)
	for _, o := range j.Pending {
		what := say.M("show/journal/this", "this is in force")
		if j.Undoing {
			what = say.M("show/journal/former", "its former values are in force")
		}
		of := o.Instance
		if of == "" {
			of = p.say("show/journal/the_host", "The host")
		}
		owed = append(owed, p.say("show/journal/owed", "{instance} needs a {effect} before {what}.", "instance", of, "effect", o.Effect.String(), "what", what))
	}
	if n := waiting(j.Changes, knob.Reboot); n > 0 {
		owed = append(owed, p.many("show/journal/reboot", n, "{n} change is in force after a reboot of the host.", "{n} changes are in force after a reboot of the host."))
	}
	id, how := clean(j.ID), ""
	if stops(j.Changes) {
		how = "--max-effect restart "
	}
	switch {
	case j.State == journal.Unread:
		return owed, p.say("show/journal/unread", "What it did is unknown. To read it, use the version of pgfettle that wrote it.")
	case j.State == journal.IsDamaged && !j.Settled():
		return owed, p.say("show/journal/undo_damaged", "To undo what it proves: pgfettle undo {id}", "id", how+id)
	case j.State == journal.IsDamaged:
		return owed, p.say("show/journal/damaged_undone", "What it proves is undone. The rest is unknown; {file} is the journal as it was found.", "file", clean(j.Damage.Kept))
	case j.State == journal.Interrupted && j.Undoing:
		return owed, p.say("show/journal/finish_undo", "To finish taking it back: pgfettle undo {id}", "id", how+id)
	case j.State == journal.Interrupted:
		return owed, p.say("show/journal/finish", "To finish it: pgfettle apply --resume {id}. To take it back: pgfettle undo {undo}", "id", id, "undo", how+id)
	case j.State == journal.Abandoned:
		return owed, p.say("show/journal/abandoned", "The rest is undone; the values that were given up are left as they are.")
	case j.State == journal.TakenBack && left(j.Changes):
		return owed, p.say("show/journal/set_since", "It was undone; what is left was set since.")
	case j.State == journal.TakenBack && len(j.Pending) > 0:
		return owed, p.say("show/journal/apart", "Apart from that, everything is as it was.")
	case left(j.Changes) && !begun(j.Changes):
		return owed, p.say("show/journal/look_again", "Not everything is as it was. To check again: pgfettle undo {id}", "id", how+id)
	case j.State == journal.TakenBack && kept(j.Changes):
		return owed, p.say("show/journal/theirs", "Nothing of ours is left; what somebody has changed since stays as it is.")
	case j.State == journal.TakenBack && !now:
		return owed, p.say("show/journal/was_gone", "Nothing of it was left when it was undone.")
	case j.State == journal.TakenBack:
		return owed, p.say("show/journal/gone", "Nothing of it is left.")
	case begun(j.Changes):
		return owed, p.say("show/journal/undo", "To take it back: pgfettle undo {id}", "id", how+id)
	}
	return owed, p.say("show/journal/nothing", "Nothing of it is there to take back.")
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

// kept says whether somebody's later edit stands.
func kept(list []journal.Change) bool {
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

// JournalListText writes the journals, the newest first, one line each.
func JournalListText(w io.Writer, list []*journal.Journal, st Style) error {
	p := newPage(st)
	if len(list) == 0 {
		p.para("", plain, p.say("show/journal/none", "No journal: nothing was applied yet."))
	}
	for i := len(list) - 1; i >= 0; i-- {
		j := list[i]
		p.line(pad(clean(j.ID), 24), "  ", clean(j.Started), "  ", pad(string(j.State), len("interrupted")), "  ", p.tally(j))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// tally counts changes by how they stand: "12 done, 1 failed".
func (p *page) tally(j *journal.Journal) string {
	n := map[journal.ChangeState]int{}
	for _, c := range j.Changes {
		n[c.State]++
	}
	var parts []string
	for _, s := range []journal.ChangeState{journal.IsDone, journal.IsUndone, journal.IsFailed, journal.IsKept, journal.IsSkipped,
		journal.IsIntended, journal.IsUndoing, journal.IsPlanned, journal.IsAbandon} {
		if n[s] > 0 {
			parts = append(parts, digits(n[s])+" "+p.word(stateWords[s]))
		}
	}
	switch {
	case j.Damage != nil || j.Foreign != "":
		parts = append(parts, p.say("show/journal/rest_unknown", "the rest unknown"))
		if len(parts) == 1 {
			return p.say("show/journal/unknown", "unknown")
		}
	case len(parts) == 0:
		return p.say("show/journal/no_changes", "no changes")
	}
	return strings.Join(parts, ", ")
}

// journalDamage says what of a journal is not known, and which settings its lines
// name that prove nothing.
func (p *page) journalDamage(j *journal.Journal) (out []string) {
	if j.Foreign != "" {
		return []string{p.say("show/journal/format", "Its format is {format}, which this program does not read.", "format", clean(j.Foreign))}
	}
	d := j.Damage
	if d == nil {
		return nil
	}
	out = append(out, p.say("show/journal/damage", "The journal is damaged. Line {line} and what follows it prove nothing: {reason}.", "line", d.Line, "reason", clean(d.Reason)))
	if d.Planned > 0 {
		out = append(out, p.say("show/journal/planned_lost", "Of its {n} planned changes not all are known.", "n", d.Planned))
	}
	for _, u := range d.Unproven(j) {
		of, at := u.Instance, u.Path
		if of == "" {
			of = p.say("show/journal/the_host", "The host")
		}
		if at == "" {
			at = p.say("show/journal/no_place", "place unknown")
		}
		out = append(out, p.say("show/journal/unproven", "Unknown: {address} ({instance}; {where})", "address", clean(string(u.Address)), "instance", clean(of), "where", clean(at)))
	}
	return out
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
		Reason  string          `json:"reason,omitempty"`
	}
	out := []entry{}
	for _, j := range list {
		e := entry{ID: j.ID, Started: j.Started, State: j.State, Changes: len(j.Changes), Reason: j.Foreign}
		if j.Damage != nil {
			e.Reason = j.Damage.Reason
		}
		out = append(out, e)
	}
	return writeJSON(w, struct {
		Schema   string  `json:"schema"`
		Journals []entry `json:"journals"`
	}{JournalSchema, out})
}
