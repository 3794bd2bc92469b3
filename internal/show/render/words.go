package render

import (
	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journal"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// say writes a text of the faces in the reader's language; its id begins with
// show/. Nothing that a person reads on a terminal is put together from pieces of
// sentences: other languages order them otherwise.
func (p *page) say(id, text string, pairs ...any) string {
	return say.M(id, text, pairs...).In(p.st.Words)
}

// many is say about a number of things, {n}.
func (p *page) many(id string, n int, one, many string, pairs ...any) string {
	return say.N(id, int64(n), one, many, pairs...).In(p.st.Words)
}

// colon stands between a place and what is said of it; some languages set it apart.
func (p *page) colon() string { return p.say("show/colon", ":") + " " }

// word is a fixed word in the reader's language.
func (p *page) word(m say.Message) string { return m.In(p.st.Words) }

var severityWords = map[check.Severity]say.Message{
	check.Critical: say.M("show/severity/critical", "critical"),
	check.Warning:  say.M("show/severity/warning", "warning"),
	check.Notice:   say.M("show/severity/notice", "notice"),
	check.Info:     say.M("show/severity/info", "info"),
}

// severityCount is a number of findings of one severity.
func (p *page) severityCount(s check.Severity, n int) string {
	switch s {
	case check.Critical:
		return p.many("show/severity/critical_n", n, "{n} critical", "{n} critical")
	case check.Warning:
		return p.many("show/severity/warning_n", n, "{n} warning", "{n} warning")
	case check.Notice:
		return p.many("show/severity/notice_n", n, "{n} notice", "{n} notice")
	}
	return p.many("show/severity/info_n", n, "{n} info", "{n} info")
}

// label is a word of the margin beside a finding, wide enough for the longest.
func (p *page) label(m say.Message) string {
	width := 0
	for _, l := range findingLabels {
		width = max(width, runes(p.word(l)))
	}
	return "  " + pad(p.word(m), width+1)
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

// effectWords say when a change is in force.
var effectWords = map[knob.Effect]say.Message{
	knob.Now:     say.M("show/effect/now", "in force at once"),
	knob.Reload:  say.M("show/effect/reload", "after a reload of the server"),
	knob.Restart: say.M("show/effect/restart", "after a restart of the server"),
	knob.Reboot:  say.M("show/effect/reboot", "after a reboot of the host"),
}

// effectCount is a number of changes that take effect alike.
func (p *page) effectCount(e knob.Effect, n int) string {
	switch e {
	case knob.Now:
		return p.say("show/effect/now_n", "{n} at once", "n", n)
	case knob.Reload:
		return p.say("show/effect/reload_n", "{n} by reload", "n", n)
	case knob.Restart:
		return p.say("show/effect/restart_n", "{n} by restart", "n", n)
	}
	return p.say("show/effect/reboot_n", "{n} by reboot", "n", n)
}

// layerWords name the layers of a plan.
var layerWords = map[knob.Layer]say.Message{
	knob.Instance: say.M("show/layer/instance", "INSTANCE"),
	knob.Kernel:   say.M("show/layer/kernel", "KERNEL"),
	knob.Boot:     say.M("show/layer/boot", "BOOT"),
	knob.Mounts:   say.M("show/layer/mounts", "MOUNTS"),
	knob.Units:    say.M("show/layer/units", "UNITS"),
}

// riskWords name the risks that are told.
var riskWords = map[knob.Risk]say.Message{
	knob.Medium: say.M("show/risk/medium", "risk: medium"),
	knob.High:   say.M("show/risk/high", "risk: high"),
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

// holdWords say how an applied value stands, as a heading.
var holdWords = map[apply.Hold]say.Message{
	apply.Holds:   say.M("show/hold/holds", "Holds"),
	apply.Changed: say.M("show/hold/changed", "Another value is in force"),
	apply.Lost:    say.M("show/hold/lost", "Its file no longer has it"),
	apply.Waits:   say.M("show/hold/waits", "Waits for a restart or a reboot"),
	apply.Unknown: say.M("show/hold/unknown", "Could not be looked at"),
}

// outcomeWords say how an apply stands.
var outcomeWords = map[journal.Outcome]say.Message{
	journal.Whole:       say.M("show/outcome/whole", "applied"),
	journal.Partly:      say.M("show/outcome/partly", "partly applied"),
	journal.TakenBack:   say.M("show/outcome/undone", "undone"),
	journal.Interrupted: say.M("show/outcome/interrupted", "interrupted"),
	journal.Abandoned:   say.M("show/outcome/abandoned", "undone, with changes given up"),
	journal.IsDamaged:   say.M("show/outcome/damaged", "damaged"),
	journal.Unread:      say.M("show/outcome/unread", "not readable"),
}

// stateWords say how one change of a journal stands.
var stateWords = map[journal.ChangeState]say.Message{
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
