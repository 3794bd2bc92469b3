package monitor

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// Sentence describes an event in one line; for what had to last before it was reported, with the time since when.
func Sentence(e history.Event) say.Message {
	m := sentence(e)
	if e.Held.IsZero() || !e.Held.Before(e.At) {
		return m
	}
	return say.M("{event} (since {time})", "event", m, "time", e.Held.UTC().Format(time.RFC3339))
}

func sentence(e history.Event) say.Message {
	switch e.Kind {
	case history.SettingChanged:
		return detailed(e, origins(e, about(e, "{name}: {before} → {after}",
			"{name} of {instance}: {before} → {after}")))
	case history.FindingAppeared:
		return detailed(e, about(e, "new {severity}: {name}", "new {severity}: {name} of {instance}",
			"severity", check.SeverityWord(e.After)))
	case history.FindingVanished:
		return about(e, "resolved: {name} (was {severity})", "resolved: {name} of {instance} (was {severity})",
			"severity", check.SeverityWord(e.Before))
	case history.FindingSeverity:
		return detailed(e, about(e, "{name}: {severity} → {now}",
			"{name} of {instance}: {severity} → {now}",
			"severity", check.SeverityWord(e.Before), "now", check.SeverityWord(e.After)))
	case history.PlanStale:
		if e.Before == "" && e.After == "" {
			return detailed(e, about(e, "the plan is stale: {name}", "the plan of {instance} is stale: {name}"))
		}
		return detailed(e, about(e, "the plan is stale: {name} changed from {before} to {after}",
			"the plan of {instance} is stale: {name} changed from {before} to {after}"))
	case history.Restarted:
		switch {
		case e.Instance == "":
			return say.M("the host was booted")
		case e.Detail != "":
			return detailed(e, say.Text(e.Instance))
		}
		return about(e, "", "{instance} was restarted at {after} (previous start: {before})")
	case history.OOMKill:
		return about(e, "OOM kill: {detail}",
			"OOM kill in the cgroup of {instance}: {detail}")
	}
	return detailed(e, about(e, "{kind} {name}", "{kind} {name} of {instance}"))
}

// about is a clause about an event: the second of an instance, the first of the host.
func about(e history.Event, host, instance say.Template, more ...any) say.Message {
	pairs := append([]any{"kind", string(e.Kind), "name", gapwords.Arg(e.Subject), "instance", e.Instance,
		"before", orNothing(e.Before), "after", orNothing(e.After), "detail", gapwords.Arg(e.Detail)}, more...)
	if e.Instance == "" {
		return say.M(host, pairs...)
	}
	return say.M(instance, pairs...)
}

func orNothing(s string) any {
	if s == "" {
		return say.M("nothing")
	}
	return s
}

// origins are who and where, in brackets.
func origins(e history.Event, m say.Message) say.Message {
	var parts []say.Message
	for _, s := range []string{e.Who, e.Where} {
		if s != "" {
			parts = append(parts, gapwords.Of(s))
		}
	}
	if len(parts) == 0 {
		return m
	}
	return say.M("{event} ({origins})", "event", m, "origins", say.List{Items: parts})
}

func detailed(e history.Event, m say.Message) say.Message {
	if e.Detail == "" {
		return m
	}
	return say.M("{event}: {detail}", "event", m, "detail", gapwords.Arg(e.Detail))
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
