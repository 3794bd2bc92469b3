package outline

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Words are what the faces say of documents, in the reader's language: what a terminal
// and a page say of the same thing is said once.
type Words struct{ catalog *say.Catalogue }

// WordsIn returns them in the language of a catalog; nil is English.
func WordsIn(c *say.Catalogue) Words { return Words{c} }

// Say writes a text of the faces in the reader's language; its id begins with
// show/. Nothing that a person reads on a terminal is put together from pieces of
// sentences: other languages order them otherwise.
func (p Words) Say(id, text string, pairs ...any) string {
	return say.M(id, text, pairs...).In(p.catalog)
}

// Many is say about a number of things, {n}.
func (p Words) Many(id string, n int, one, many string, pairs ...any) string {
	return say.N(id, int64(n), one, many, pairs...).In(p.catalog)
}

// Colon stands between a place and what is said of it; some languages set it apart.
func (p Words) Colon() string { return p.Say("show/colon", ":") + " " }

// Word is a fixed word in the reader's language.
func (p Words) Word(m say.Message) string { return m.In(p.catalog) }

var SeverityWords = map[check.Severity]say.Message{
	check.Critical: say.M("show/severity/critical", "critical"),
	check.Warning:  say.M("show/severity/warning", "warning"),
	check.Notice:   say.M("show/severity/notice", "notice"),
	check.Info:     say.M("show/severity/info", "info"),
}

// Severity is the word for one.
func (p Words) Severity(s check.Severity) string { return p.Word(SeverityWords[s]) }

// SeverityCount is a number of findings of one severity.
func (p Words) SeverityCount(s check.Severity, n int) string {
	switch s {
	case check.Critical:
		return p.Many("show/severity/critical_n", n, "{n} critical", "{n} critical")
	case check.Warning:
		return p.Many("show/severity/warning_n", n, "{n} warning", "{n} warning")
	case check.Notice:
		return p.Many("show/severity/notice_n", n, "{n} notice", "{n} notice")
	}
	return p.Many("show/severity/info_n", n, "{n} info", "{n} info")
}

var (
	labelWhere    = say.M("show/label/where", "where")
	labelSeen     = say.M("show/label/seen", "seen")
	labelWhy      = say.M("show/label/why", "why")
	labelDo       = say.M("show/label/do", "do")
	labelSources  = say.M("show/label/sources", "sources")
	labelAccepted = say.M("show/label/accepted", "accepted")

	findingLabels = []say.Message{labelWhere, labelSeen, labelWhy, labelDo, labelSources, labelAccepted}
)

// Where, Seen, Why, Do, Sources and Accepted name the fields of a finding.
func (p Words) Where() string { return p.Word(labelWhere) }

func (p Words) Seen() string { return p.Word(labelSeen) }

func (p Words) Why() string { return p.Word(labelWhy) }

func (p Words) Do() string { return p.Word(labelDo) }

func (p Words) Sources() string { return p.Word(labelSources) }

func (p Words) Accepted() string { return p.Word(labelAccepted) }

// Unknown heads what could not be judged.
func (p Words) Unknown() string { return p.Say("show/unknown", "Could not be judged") }

// Reveal stands before what would reveal a fact.
func (p Words) Reveal() string { return p.Say("show/reveal", "to know it:") }

// EffectWords say when a change is in force.
var EffectWords = map[knob.Effect]say.Message{
	knob.Now:     say.M("show/effect/now", "in force at once"),
	knob.Reload:  say.M("show/effect/reload", "after a reload of the server"),
	knob.Restart: say.M("show/effect/restart", "after a restart of the server"),
	knob.Reboot:  say.M("show/effect/reboot", "after a reboot of the host"),
}

// Effect says when a change is in force.
func (p Words) Effect(e knob.Effect) string { return p.Word(EffectWords[e]) }

// EffectCount is a number of changes that take effect alike.
func (p Words) EffectCount(e knob.Effect, n int) string {
	switch e {
	case knob.Now:
		return p.Say("show/effect/now_n", "{n} at once", "n", n)
	case knob.Reload:
		return p.Say("show/effect/reload_n", "{n} by reload", "n", n)
	case knob.Restart:
		return p.Say("show/effect/restart_n", "{n} by restart", "n", n)
	}
	return p.Say("show/effect/reboot_n", "{n} by reboot", "n", n)
}

// layerWords name the layers of a plan.
var layerWords = map[knob.Layer]say.Message{
	knob.Instance: say.M("show/layer/instance", "INSTANCE"),
	knob.Kernel:   say.M("show/layer/kernel", "KERNEL"),
	knob.Boot:     say.M("show/layer/boot", "BOOT"),
	knob.Mounts:   say.M("show/layer/mounts", "MOUNTS"),
	knob.Units:    say.M("show/layer/units", "UNITS"),
}

// Layer is the heading of a layer, in capitals.
func (p Words) Layer(l knob.Layer) string { return p.Word(layerWords[l]) }

// RiskWords name the risks that are told.
var RiskWords = map[knob.Risk]say.Message{
	knob.Medium: say.M("show/risk/medium", "risk: medium"),
	knob.High:   say.M("show/risk/high", "risk: high"),
}

// Risk is the word for a risk; "" for a low one.
func (p Words) Risk(r knob.Risk) string {
	if m, ok := RiskWords[r]; ok {
		return p.Word(m)
	}
	return ""
}

// profileWords say what each profile takes for granted where nothing was measured.
var profileWords = map[rule.Profile]say.Message{
	rule.Web:     say.M("show/profile/web", "many short reads from a connection pool"),
	rule.OLTP:    say.M("show/profile/oltp", "many short transactions that write"),
	rule.DW:      say.M("show/profile/dw", "few sessions with large scans, sorts and hashes"),
	rule.Mixed:   say.M("show/profile/mixed", "short transactions and reports side by side"),
	rule.Desktop: say.M("show/profile/desktop", "a developer's machine that has other work to do"),
	rule.OneC:    say.M("show/profile/1c", "1C:Enterprise, many sessions with temporary tables"),
}

// Profile is what a plan takes for granted of the use of a host.
func (p Words) Profile(have rule.Profile) string {
	return p.Say("show/plan/profile_words", "{profile} ({words})", "profile", string(have), "words", profileWords[have])
}

// HoldWords say how an applied value stands, as a heading.
var HoldWords = map[journal.Hold]say.Message{
	journal.Holds:   say.M("show/hold/holds", "Holds"),
	journal.Changed: say.M("show/hold/changed", "Another value is in force"),
	journal.Lost:    say.M("show/hold/lost", "Its file no longer has it"),
	journal.Waits:   say.M("show/hold/waits", "Waits for a restart or a reboot"),
	journal.Unseen:  say.M("show/hold/unknown", "Could not be looked at"),
}

// OutcomeWords say how an apply stands.
var OutcomeWords = map[journal.Outcome]say.Message{
	journal.Whole:       say.M("show/outcome/whole", "applied"),
	journal.Partly:      say.M("show/outcome/partly", "partly applied"),
	journal.TakenBack:   say.M("show/outcome/undone", "undone"),
	journal.Interrupted: say.M("show/outcome/interrupted", "interrupted"),
	journal.Abandoned:   say.M("show/outcome/abandoned", "undone, with changes given up"),
	journal.IsDamaged:   say.M("show/outcome/damaged", "damaged"),
	journal.Unread:      say.M("show/outcome/unread", "not readable"),
}

// StateWords say how one change of a journal stands.
var StateWords = map[journal.ChangeState]say.Message{
	journal.IsDone:     say.M("show/state/done", "done"),
	journal.IsUndone:   say.M("show/state/undone", "undone"),
	journal.IsFailed:   say.M("show/state/failed", "failed"),
	journal.IsKept:     say.M("show/state/kept", "kept"),
	journal.IsSkipped:  say.M("show/state/skipped", "skipped"),
	journal.IsIntended: say.M("show/state/intended", "intended"),
	journal.IsUndoing:  say.M("show/state/undoing", "undoing"),
	journal.IsPlanned:  say.M("show/state/planned", "planned"),
	journal.IsAbandon:  say.M("show/state/abandoned", "given up"),
}

// Warnings heads what is to be known before one acts.
func (p Words) Warnings() string { return p.Say("show/plan/warnings", "Before you act") }

// Before and After head the two sides of a plan.
func (p Words) Before() string { return p.Say("show/budget/before", "before") }

func (p Words) After() string { return p.Say("show/budget/after", "after") }
