package outline

import (
	"math"
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var EventWords = map[history.EventKind]say.Message{
	history.SettingChanged:  say.M("setting"),
	history.FindingAppeared: say.M("new finding"),
	history.FindingVanished: say.M("finding gone"),
	history.FindingSeverity: say.M("finding"),
	history.PlanStale:       say.M("plan stale"),
	history.Restarted:       say.M("restart"),
	history.OOMKill:         say.M("OOM kill"),
	history.Gap:             say.M("gap"),
	history.ClockJumped:     say.M("clock"),
	history.Limited:         say.M("limit"),
}

// Times are told as they are stored, in UTC: those of a host and of who reads
// differ, and the hour that a change of the clock repeats is there once.
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
		return p.Say("{severity}: {title} ({id})", "severity", typeset.Clean(e.After), "title",
			typeset.Clean(e.Detail), "id", typeset.Clean(e.Subject))
	case history.FindingVanished:
		return p.Say("{title} ({id}, was {severity})", "severity", typeset.Clean(e.Before),
			"title", typeset.Clean(e.Detail), "id", typeset.Clean(e.Subject))
	case history.FindingSeverity:
		return p.Say("{before} → {after}: {title} ({id})", "before", from, "after",
			to, "title", typeset.Clean(e.Detail), "id", typeset.Clean(e.Subject))
	case history.PlanStale:
		return p.Say("{fact} moved: {before} → {after}", "fact", typeset.Clean(e.Subject),
			"before", from, "after", to)
	case history.Restarted:
		if e.Instance == "" {
			return p.Say("the host was started at {when}", "when", typeset.Clean(e.After))
		}
		return p.Say("the server was started at {when}", "when", typeset.Clean(e.After))
	case history.OOMKill:
		if e.Subject == "" {
			return p.Say("the kernel killed a process for memory")
		}
		return p.Say("the kernel killed {name} for memory", "name", typeset.Clean(e.Subject))
	case history.Gap:
		return p.Say("nothing was stored for {long}", "long", howLong(e.At.Sub(e.Since)))
	case history.ClockJumped:
		return p.Say("{before} → {after}", "before", from, "after", to)
	}
	return typeset.Clean(e.Detail)
}

// Besides are the particulars of an event: of what, by whom, where, since when.
func (p Words) Besides(e history.Event) []string {
	var out []string
	if e.Instance != "" {
		out = append(out, typeset.Clean(e.Instance))
	}
	switch {
	case e.Who != "" && e.Where != "":
		out = append(out, p.Say("by {who}, in {where}", "who", typeset.Clean(e.Who), "where",
			typeset.Clean(e.Where)))
	case e.Who != "":
		out = append(out, p.Say("by {who}", "who", typeset.Clean(e.Who)))
	case e.Where != "":
		out = append(out, p.Say("in {where}", "where", typeset.Clean(e.Where)))
	}
	switch e.Kind {
	case history.FindingAppeared, history.FindingVanished, history.FindingSeverity, history.Limited: // told already
	default:
		if e.Detail != "" {
			out = append(out, typeset.Clean(e.Detail))
		}
	}
	if e.Kind != history.Gap && !e.Since.IsZero() && e.At.Sub(e.Since) > time.Minute {
		out = append(out, p.Say("seen now; it was not so at {when}", "when",
			e.Since.Format(HistoryFull)))
	}
	return out
}

func (p Words) HistorySummary(d document.History) string {
	from, to := d.From.Format(HistoryFull), d.To.Format(HistoryFull)
	switch {
	case d.Last.IsZero() && len(d.Events) == 0:
		return p.Say("The history holds nothing yet: 'pgfettle watch' fills it.")
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

// howLong is a length of time as a person says it, in its two greatest units.
func howLong(d time.Duration) string {
	units := []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	for i, u := range units {
		if d < u.size && i < len(units)-1 {
			continue
		}
		out := strconv.FormatInt(int64(d/u.size), 10) + " " + u.name
		if rest := d % u.size; i < len(units)-1 && rest >= units[i+1].size {
			out += " " + strconv.FormatInt(int64(rest/units[i+1].size), 10) + " " + units[i+1].name
		}
		return out
	}
	return ""
}

// InUnit is a value of a series with its unit.
func InUnit(v float64, of string) string {
	switch of {
	case "bytes":
		return unit.Bytes(v).String()
	case "bytes/s":
		return unit.Bytes(v).String() + "/s"
	case "ratio":
		return threeDigits(v*100) + " %"
	case "seconds":
		return threeDigits(v) + " s"
	case "1/s":
		return threeDigits(v) + "/s"
	}
	return threeDigits(v)
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
