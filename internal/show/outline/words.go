package outline

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Words are what the faces say of documents, in the reader's language: what a terminal
// and a page say of the same thing is said once.
type Words struct{ catalog *say.Catalogue }

// Catalog is that of the reader's language; nil is English.
func (p Words) Catalog() *say.Catalogue { return p.catalog }

// WordsIn returns them in the language of a catalog; nil is English.
func WordsIn(c *say.Catalogue) Words { return Words{c} }

// Say writes a text in the reader's language. Nothing that a person reads is put together
// from pieces of sentences: other languages order them otherwise.
func (p Words) Say(text say.Template, pairs ...any) string {
	return say.M(text, pairs...).In(p.catalog)
}

// Many is say about a number of things, {n}.
func (p Words) Many(n int, one, many say.Template, pairs ...any) string {
	return say.N(n, one, many, pairs...).In(p.catalog)
}

// Number writes a number of English form, perhaps with a unit, as the reader's language does.
func (p Words) Number(english string) string { return say.Number(english).In(p.catalog) }

// Size writes a number of bytes.
func (p Words) Size(b unit.Bytes) string { return p.Number(b.String()) }

// Count writes a whole number.
func (p Words) Count(n int) string { return p.Number(say.Spell(n)) }

// Colon stands between a place and what is said of it; some languages set it apart.
func (p Words) Colon() string { return p.Say(":") + " " }

// Semicolon stands between clauses that are not one message.
func (p Words) Semicolon() string { return p.Say(";") + " " }

// Value is a name, a value or an amount in the reader's language.
func (p Words) Value(v any) string { return p.catalog.Value(v) }

// Word is a fixed word in the reader's language.
func (p Words) Word(m say.Message) string { return m.In(p.catalog) }

// Severity is the word for one.
func (p Words) Severity(s check.Severity) string { return p.Word(check.SeverityWords[s]) }

// SeverityCount is a number of findings of one severity.
func (p Words) SeverityCount(s check.Severity, n int) string {
	switch s {
	case check.Critical:
		return p.Many(n, "{n} critical", "{n} critical")
	case check.Warning:
		return p.Many(n, "{n} warning", "{n} warning")
	case check.Notice:
		return p.Many(n, "{n} notice", "{n} notice")
	}
	return p.Many(n, "{n} info", "{n} info")
}

var (
	labelWhere    = say.M("where")
	labelSeen     = say.M("seen")
	labelWhy      = say.M("why")
	labelDo       = say.M("do")
	labelSources  = say.M("sources")
	labelAccepted = say.M("accepted")

	findingLabels = []say.Message{labelWhere, labelSeen, labelWhy, labelDo, labelSources, labelAccepted}
)

// Where, Seen, Why, Do, Sources and Accepted name the fields of a finding.
func (p Words) Where() string { return p.Word(labelWhere) }

func (p Words) Seen() string { return p.Word(labelSeen) }

func (p Words) Why() string { return p.Word(labelWhy) }

func (p Words) Do() string { return p.Word(labelDo) }

func (p Words) Sources() string { return p.Word(labelSources) }

func (p Words) Accepted() string { return p.Word(labelAccepted) }

// Unknown heads what is not known, and the checks that could not run for it.
func (p Words) Unknown() string { return p.Say("Unknown") }

// EffectWords say when a change is in force.
var EffectWords = map[knob.Effect]say.Message{
	knob.Now:     say.M("effective immediately"),
	knob.Reload:  say.M("after a server reload"),
	knob.Restart: say.M("after a server restart"),
	knob.Reboot:  say.M("after a host reboot"),
}

// Effect says when a change is in force.
func (p Words) Effect(e knob.Effect) string { return p.Word(EffectWords[e]) }

// EffectCount is a number of changes that take effect alike.
func (p Words) EffectCount(e knob.Effect, n int) string {
	switch e {
	case knob.Now:
		return p.Say("{n} immediately", "n", n)
	case knob.Reload:
		return p.Say("{n} after reload", "n", n)
	case knob.Restart:
		return p.Say("{n} after restart", "n", n)
	}
	return p.Say("{n} after reboot", "n", n)
}

// layerWords name the layers of a plan.
var layerWords = map[knob.Layer]say.Message{
	knob.Instance: say.M("Instance"),
	knob.Kernel:   say.M("Kernel"),
	knob.Boot:     say.M("Boot"),
	knob.Mounts:   say.M("Mounts"),
	knob.Units:    say.M("systemd units"),
}

// Layer is the heading of a layer.
func (p Words) Layer(l knob.Layer) string { return p.Word(layerWords[l]) }

// RiskWords name the risks that are shown.
var RiskWords = map[knob.Risk]say.Message{
	knob.Medium: say.M("risk: medium"),
	knob.High:   say.M("risk: high"),
}

// Risk is the word for a risk; "" for a low one.
func (p Words) Risk(r knob.Risk) string {
	if m, ok := RiskWords[r]; ok {
		return p.Word(m)
	}
	return ""
}

// profileWords say what each profile takes for granted if nothing was measured.
var profileWords = map[rule.Profile]say.Message{
	rule.Web:     say.M("many short reads from a connection pool"),
	rule.OLTP:    say.M("many short write transactions"),
	rule.DW:      say.M("few sessions with large scans, sorts and hashes"),
	rule.Mixed:   say.M("a mix of short transactions and reports"),
	rule.Desktop: say.M("a developer's computer that also runs other programs"),
	rule.OneC:    say.M("1C:Enterprise, many sessions with temporary tables"),
}

// Profile is what a plan takes for granted of the use of a host.
func (p Words) Profile(have rule.Profile) string {
	return p.Say("{profile} ({words})", "profile", string(have), "words", profileWords[have])
}

// HoldWords say how an applied value stands, as a heading.
var HoldWords = map[journal.Hold]say.Message{
	journal.Holds:   say.M("In effect"),
	journal.Changed: say.M("Another value is in effect"),
	journal.Lost:    say.M("No longer in its file"),
	journal.Waits:   say.M("Pending restart or reboot"),
	journal.Unseen:  say.M("Not checked"),
}

// OutcomeWords say how an apply stands.
var OutcomeWords = map[journal.Outcome]say.Message{
	journal.Whole:       say.M("applied"),
	journal.Partly:      say.M("partly applied"),
	journal.TakenBack:   say.M("undone"),
	journal.Interrupted: say.M("interrupted"),
	journal.Abandoned:   say.M("undone, except for abandoned changes"),
	journal.IsDamaged:   say.M("damaged"),
	journal.Unread:      say.M("unreadable"),
}

// StateWords say how one change of a journal stands.
var StateWords = map[journal.ChangeState]say.Message{
	journal.IsDone:     say.M("applied"),
	journal.IsUndone:   say.M("undone"),
	journal.IsFailed:   say.M("failed"),
	journal.IsKept:     say.M("kept"),
	journal.IsSkipped:  say.M("skipped"),
	journal.IsIntended: say.M("intended"),
	journal.IsUndoing:  say.M("being undone"),
	journal.IsPlanned:  say.M("planned"),
	journal.IsAbandon:  say.M("abandoned"),
}

// StateCount is a number of changes of a journal that stand alike.
func (p Words) StateCount(s journal.ChangeState, n int) string {
	switch s {
	case journal.IsDone:
		return p.Many(n, "{n} applied", "{n} applied")
	case journal.IsUndone:
		return p.Many(n, "{n} undone", "{n} undone")
	case journal.IsFailed:
		return p.Many(n, "{n} failed", "{n} failed")
	case journal.IsKept:
		return p.Many(n, "{n} kept", "{n} kept")
	case journal.IsSkipped:
		return p.Many(n, "{n} skipped", "{n} skipped")
	case journal.IsIntended:
		return p.Many(n, "{n} intended", "{n} intended")
	case journal.IsUndoing:
		return p.Many(n, "{n} being undone", "{n} being undone")
	case journal.IsPlanned:
		return p.Many(n, "{n} planned", "{n} planned")
	}
	return p.Many(n, "{n} abandoned", "{n} abandoned")
}

// Warnings heads what to know before acting.
func (p Words) Warnings() string { return p.Say("Before you act") }

// Before and After head the two sides of a plan.
func (p Words) Before() string { return p.Say("before") }

func (p Words) After() string { return p.Say("after") }
