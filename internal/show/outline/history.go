package outline

import (
	"math"
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var EventWords = map[history.EventKind]say.Message{
	history.SettingChanged:  say.M("setting"),
	history.FindingAppeared: say.M("new finding"),
	history.FindingVanished: say.M("resolved"),
	history.FindingSeverity: say.M("severity changed"),
	history.PlanStale:       say.M("plan stale"),
	history.Restarted:       say.M("restart"),
	history.OOMKill:         say.M("OOM kill"),
	history.Gap:             say.M("no data"),
	history.ClockJumped:     say.M("clock changed"),
	history.Limited:         say.M("limit"),
}

// Times are shown as stored, in UTC: the zones of a host and of a reader differ, and an hour repeated by a clock change
// appears once.
const (
	HistoryDay  = "2006-01-02"
	HistoryTime = "15:04:05"
	HistoryFull = "2006-01-02 15:04"
)

// Event is what happened, in a clause.
func (p Words) Event(e history.Event) string {
	from, to := Shown(e.Before), Shown(e.After)
	switch e.Kind {
	case history.SettingChanged:
		return p.Say("{name}: {before} → {after}", "name", typeset.Clean(e.Subject), "before",
			from, "after", to)
	case history.FindingAppeared:
		return p.Say("{severity}: {title} ({id})", "severity", check.SeverityWord(typeset.Clean(e.After)), "title",
			p.findingTitle(e),
			"id", typeset.Clean(e.Subject))
	case history.FindingVanished:
		return p.Say("{title} ({id}, was {severity})", "severity", check.SeverityWord(typeset.Clean(e.Before)),
			"title", p.findingTitle(e), "id", typeset.Clean(e.Subject))
	case history.FindingSeverity:
		return p.Say("{before} → {after}: {title} ({id})", "before", check.SeverityWord(typeset.Clean(e.Before)),
			"after",
			check.SeverityWord(typeset.Clean(e.After)), "title", p.findingTitle(e), "id", typeset.Clean(e.Subject))
	case history.PlanStale:
		return p.Say("{fact} changed: {before} → {after}", "fact", p.stored(e.Subject), "before", from, "after", to)
	case history.Restarted:
		if e.Instance == "" {
			return p.Say("the host was booted at {when}", "when", typeset.Clean(e.After))
		}
		return p.Say("the server was started at {when}", "when", typeset.Clean(e.After))
	case history.OOMKill:
		if e.Subject == "" {
			return p.Say("the OOM killer killed a process")
		}
		return p.Say("the OOM killer killed {name}", "name", typeset.Clean(e.Subject))
	case history.Gap:
		return p.Say("nothing was stored for {long}", "long", say.Span(e.At.Sub(e.Since).Seconds()))
	case history.ClockJumped:
		return p.Say("{before} → {after}", "before", from, "after", to)
	}
	return p.stored(e.Detail)
}

// findingTitle is the title of the finding that an event is about.
func (p Words) findingTitle(e history.Event) string { return typeset.Clean(p.catalog.Text(e.Detail)) }

// stored is a text that a history holds in English.
func (p Words) stored(english string) string { return typeset.Clean(gapwords.In(p.catalog, english)) }

// Besides are the particulars of an event: of what, by whom, where, since when.
func (p Words) Besides(e history.Event) []string {
	var out []string
	if e.Instance != "" {
		out = append(out, typeset.Clean(e.Instance))
	}
	switch {
	case e.Who != "" && e.Where != "":
		out = append(out, p.Say("by {who} ({where})", "who", typeset.Clean(e.Who), "where",
			p.stored(e.Where)))
	case e.Who != "":
		out = append(out, p.Say("by {who}", "who", typeset.Clean(e.Who)))
	case e.Where != "":
		out = append(out, p.Say("where: {where}", "where", p.stored(e.Where)))
	}
	switch e.Kind {
	case history.FindingAppeared, history.FindingVanished, history.FindingSeverity, history.Limited: // reported already
	default:
		if e.Detail != "" {
			out = append(out, p.stored(e.Detail))
		}
	}
	if e.Kind != history.Gap && !e.Since.IsZero() && e.At.Sub(e.Since) > time.Minute {
		out = append(out, p.Say("detected now; happened after {when}", "when",
			e.Since.Format(HistoryFull)))
	}
	return out
}

func (p Words) HistorySummary(d document.History) string {
	from, to := d.From.Format(HistoryFull), d.To.Format(HistoryFull)
	switch {
	case d.Last.IsZero() && len(d.Events) == 0:
		return p.Say("The history is empty. To record one, run pgfettle watch.")
	case len(d.Events) == 0:
		return p.Say("Nothing changed from {from} to {to} (UTC).", "from", from, "to", to)
	case d.Older:
		return p.Many(len(d.Events),
			"The newest {n} event from {from} to {to} (UTC); --limit shows more.",
			"The newest {n} events from {from} to {to} (UTC); --limit shows more.", "from", from, "to", to)
	}
	return p.Many(len(d.Events), "{n} event from {from} to {to} (UTC).",
		"{n} events from {from} to {to} (UTC).", "from", from, "to", to)
}

// InUnit is a value of a series with its unit.
func (p Words) InUnit(v float64, of string) string {
	switch of {
	case "bytes":
		return p.Size(unit.Bytes(v))
	case "bytes/s":
		return p.Number(unit.Bytes(v).String() + "/s")
	case "ratio":
		return p.Number(threeDigits(v*100) + "%")
	case "seconds":
		return p.Number(threeDigits(v) + " s")
	case "1/s":
		return p.Number(threeDigits(v)) + "/s"
	}
	return p.Number(threeDigits(v))
}

// threeDigits is a number as exactly as a person compares it.
func threeDigits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 1:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}
