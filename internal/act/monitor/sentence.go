package monitor

import (
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// Sentence tells an event in one line; of what had to hold until it was told, since when.
func Sentence(e history.Event) string {
	if e.Held.IsZero() || !e.Held.Before(e.At) {
		return sentence(e)
	}
	return sentence(e) + " (since " + e.Held.UTC().Format(time.RFC3339) + ")"
}

func sentence(e history.Event) string {
	on := ""
	if e.Instance != "" {
		on = " of " + e.Instance
	}
	switch e.Kind {
	case history.SettingChanged:
		return e.Subject + on + fromTo(e) + origins(e) + detail(e)
	case history.FindingAppeared:
		return "new " + e.After + ": " + e.Subject + on + detail(e)
	case history.FindingVanished:
		return "gone: " + e.Subject + on + ", which was a " + e.Before
	case history.FindingSeverity:
		return e.Subject + on + " was a " + e.Before + " and is a " + e.After + detail(e)
	case history.PlanStale:
		if e.Before == "" && e.After == "" {
			return "the plan" + on + " is stale: " + e.Subject + detail(e)
		}
		return "the plan" + on + " is stale: " + e.Subject + fromTo(e) + detail(e)
	case history.Restarted:
		if e.Instance == "" {
			return "the host was booted"
		}
		if e.Detail != "" {
			return e.Instance + ": " + e.Detail
		}
		return e.Instance + " was started at " + e.After + "; before at " + e.Before
	case history.OOMKill:
		if e.Instance == "" {
			return "the kernel ran out of memory: " + e.Detail
		}
		return "the control group" + on + " ran out of memory: " + e.Detail
	}
	return string(e.Kind) + " " + e.Subject + on + detail(e)
}

func fromTo(e history.Event) string {
	return " from " + orNothing(e.Before) + " to " + orNothing(e.After)
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// origins are who and where, in brackets.
func origins(e history.Event) string {
	var parts []string
	for _, s := range []string{e.Who, e.Where} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func detail(e history.Event) string {
	if e.Detail == "" {
		return ""
	}
	return ": " + e.Detail
}

// levelOf is how much the line of an event weighs.
func levelOf(e history.Event) Level {
	switch e.Kind {
	case history.FindingAppeared, history.FindingSeverity:
		switch severity(e.After) {
		case check.Critical:
			return Err
		case check.Warning:
			return Warning
		}
	case history.OOMKill:
		return Err
	case history.PlanStale, history.Restarted:
		return Warning
	case history.FindingVanished:
		return Plain
	}
	return Notable
}
