package render

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Told gives the words of documents to the faces that are no text: what a
// terminal and a page say of the same thing is said once.
type Told struct{ p *page }

// Tell returns them in the language of a catalogue; nil is English.
func Tell(c *say.Catalogue) Told { return Told{newPage(Style{Words: c})} }

// Clean makes a text harmless to look at and keeps it on one line: what acts on
// the screen, or on the order of what is seen there, is written as \xNN or \u{NNNN}.
func Clean(s string) string { return clean(s) }

// Subject is the line that says what was looked at.
func (t Told) Subject(verb string, s Subject) string { return t.p.subjectLine(verb, s) }

// Instance is the line of one instance.
func (t Told) Instance(in SubjectInstance) string { return t.p.instance(in) }

// Assumed says what stands in for what a description does not tell.
func (t Told) Assumed(a Assumed) string { return t.p.assumed(a) }

// Severity is the word for one.
func (t Told) Severity(s check.Severity) string { return t.p.word(severityWords[s]) }

// Where, Seen, Why, Do, Sources and Accepted name the fields of a finding.
func (t Told) Where() string    { return t.p.word(labelWhere) }
func (t Told) Seen() string     { return t.p.word(labelSeen) }
func (t Told) Why() string      { return t.p.word(labelWhy) }
func (t Told) Do() string       { return t.p.word(labelDo) }
func (t Told) Sources() string  { return t.p.word(labelSources) }
func (t Told) Accepted() string { return t.p.word(labelAccepted) }

// Place is where a finding is.
func (t Told) Place(f check.Finding) string { return t.p.place(f) }

// Until is how long an acceptance holds.
func (t Told) Until(a check.Accepted) string { return t.p.word(until(a)) }

// CheckSummary is the last line of a check.
func (t Told) CheckSummary(d Check) string { return t.p.checkSummary(d) }

// Kept is the line on the findings that a policy accepts.
func (t Told) Kept(d Check) string { return t.p.accepted(d) }

// FileSubject says what file was read, and for which version.
func (t Told) FileSubject(d CheckedFile) string { return strings.Join(t.p.fileSubject(d), " ") }

// FileSummary is the last line of a check of a file.
func (t Told) FileSummary(d CheckedFile) string { return t.p.fileSummary(d) }

// FilePlace is where a finding on a file is: "postgresql.conf:12".
func FilePlace(f conffile.Finding) string { return filePlace(f) }

// Unknown heads what could not be judged.
func (t Told) Unknown() string { return t.p.say("show/unknown", "Could not be judged") }

// Reveal stands before what would reveal a fact.
func (t Told) Reveal() string { return t.p.say("show/reveal", "to know it:") }

// Colon stands between a place and what is said of it.
func (t Told) Colon() string { return t.p.colon() }

// Alike gathers findings of one check that differ only in where and what was seen.
func Alike(list []check.Finding) [][]check.Finding { return alike(list) }

// SourceTitles spells source ids for people, those of one publisher together.
func SourceTitles(ids []string) string { return sourceTitles(ids) }

// Profile is what a plan takes for granted of the use of a host.
func (t Told) Profile(have rule.Profile) string {
	return t.p.say("show/plan/profile_words", "{profile} ({words})", "profile", string(have), "words", profileWords[have])
}

// Layer is the heading of a layer, in capitals.
func (t Told) Layer(l knob.Layer) string { return t.p.word(layerWords[l]) }

// Effect says when a change is in force.
func (t Told) Effect(e knob.Effect) string { return t.p.word(effectWords[e]) }

// Risk is the word for a risk; "" for a low one.
func (t Told) Risk(r knob.Risk) string {
	if m, ok := riskWords[r]; ok {
		return t.p.word(m)
	}
	return ""
}

// PlanSummary is the first of the last lines of a plan: what changes, and how.
func (t Told) PlanSummary(d Plan) string {
	d.Applying = true // no advice on what to do next: the pages have a section for it
	return t.p.planSummary(d)[0]
}

// Warnings heads what is to be known before one acts.
func (t Told) Warnings() string { return t.p.say("show/plan/warnings", "Before you act") }

// LeftHeading is the heading of the findings that a plan leaves; Left is one of them: what
// it is with its place, and why it is left.
func (t Told) LeftHeading() string                 { return t.p.leftHeading() }
func (t Told) Left(l plan.Left) (name, why string) { return t.p.leftLine(l) }

// Shared is the line on the shared memory of an instance.
func (t Told) Shared(s plan.Shared) string { return t.p.sharedLine(s) }

// ShortName is the address without the prefix that the heading tells already.
func ShortName(a knob.Address) string { return shortName(a) }

// Shown is a value of a change for people; an empty one has to be seen too.
func Shown(v string) string { return shown(v) }

// Measure is the unit of a kernel's value; the server's values carry theirs.
func Measure(c plan.Change) string { return measure(c) }

// BudgetPart is one piece of the memory bar, before and after.
type BudgetPart struct {
	ID            string // the last part of its message: shared, page_tables, …
	Name          string
	Before, After unit.Bytes
}

// BudgetParts are the parts of a budget in the order of the bar. Those that are
// nothing on both sides are left out, but for the file cache.
func (t Told) BudgetParts(before, after memory.Budget) []BudgetPart {
	const prefix = "show/budget/part/"
	var out []BudgetPart
	for _, pt := range parts {
		b := BudgetPart{pt.name.ID[len(prefix):], t.p.word(pt.name), max(pt.of(before), 0), max(pt.of(after), 0)}
		if b.Before != 0 || b.After != 0 || pt.sign == fileCache {
			out = append(out, b)
		}
	}
	return out
}

// BudgetBound says how much memory there is, and what bounds it.
func (t Told) BudgetBound(b plan.Budget) string { return t.p.boundText(b) }

// BudgetAll tells the budget with every connection at work; "" in a plan that was
// written before there was one.
func (t Told) BudgetAll(b plan.Budget) string {
	if b.AllAfter.Total <= 0 {
		return ""
	}
	return t.p.all(b)
}

// BudgetWorst says what the budget is of.
func (t Told) BudgetWorst() string { return t.p.worst() }

// BudgetUnknown says why there is none.
func (t Told) BudgetUnknown() string {
	return t.p.say("show/budget/unknown", "The memory of the host or the settings of an instance are not known.")
}

// BudgetMisfit says that memory is missing after the changes too; "" where it fits.
func (t Told) BudgetMisfit(b plan.Budget) string {
	if b.After.Shortfall == 0 {
		return ""
	}
	return t.p.misfit(b)
}

// Before and After head the two sides of a plan.
func (t Told) Before() string { return t.p.say("show/budget/before", "before") }
func (t Told) After() string  { return t.p.say("show/budget/after", "after") }

// BudgetOverflow is how far a bar may go past the memory, as a share of it.
const BudgetOverflow = overflow

// Amount spells a size of the budget, and Percent its share of the memory.
func Amount(b unit.Bytes) string         { return amountOf(b) }
func Percent(b, total unit.Bytes) string { return percentOf(b, total) }
