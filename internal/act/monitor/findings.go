package monitor

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

type findingKey struct{ instance, id string }

func keyOf(f history.Finding) findingKey { return findingKey{f.Instance, f.ID} }

// standing are the findings that stand now: those of the report, of several of one
// check and instance the worst, and those of before that this look could not
// judge or that only keep silent while their cause is reported. What could not be
// judged has not vanished; what was of a server that is not awaited any more has.
func standing(s *snapshot.Snapshot, checks []check.Check, r *check.Report, before []history.Finding,
	awaited map[string]bool) []history.Finding {
	var out []history.Finding
	at := map[findingKey]int{}
	for _, f := range r.Findings { // worst first
		one := history.Finding{Instance: f.Instance, ID: f.ID, Severity: f.Severity.String(), Title: f.Title}
		if _, ok := at[keyOf(one)]; !ok {
			at[keyOf(one)] = len(out)
			out = append(out, one)
		}
	}
	accepted := map[findingKey]bool{}
	for _, f := range r.Accepted {
		accepted[findingKey{f.Instance, f.ID}] = true
	}
	labels := map[string]bool{"": true}
	for i := range s.Instances {
		labels[s.Instances[i].Label()] = true
	}
	for _, f := range before {
		if _, ok := at[keyOf(f)]; ok || accepted[keyOf(f)] {
			continue
		}
		if !labels[f.Instance] && awaited[f.Instance] || labels[f.Instance] && unsure(s, checks, f) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b history.Finding) int {
		return strings.Compare(a.Instance+"\x00"+a.ID, b.Instance+"\x00"+b.ID)
	})
	return out
}

// unsure reports whether a finding that is not reported any more may stand all the same: its check misses a fact, or
// finds it when it is asked alone.
func unsure(s *snapshot.Snapshot, checks []check.Check, f history.Finding) bool {
	alone := check.Run(s, checks, check.Options{Only: []string{f.ID}})
	return len(alone.Unknown) > 0 || slices.ContainsFunc(alone.Findings,
		func(g check.Finding) bool { return g.Instance == f.Instance })
}

// turns are the findings that appeared, vanished, or changed their severity.
// Without a baseline there are none.
func turns(before, now []history.Finding, baseline bool) []history.Event {
	if !baseline {
		return nil
	}
	was := map[findingKey]history.Finding{}
	for _, f := range before {
		was[keyOf(f)] = f
	}
	var out []history.Event
	for _, f := range now {
		old, stood := was[keyOf(f)]
		delete(was, keyOf(f))
		e := history.Event{Instance: f.Instance, Subject: f.ID, After: f.Severity, Detail: f.Title}
		switch {
		case !stood:
			e.Kind = history.FindingAppeared
		case old.Severity != f.Severity:
			e.Kind, e.Before = history.FindingSeverity, old.Severity
		default:
			continue
		}
		out = append(out, e)
	}
	for _, f := range before {
		if _, gone := was[keyOf(f)]; gone {
			out = append(out, history.Event{Kind: history.FindingVanished, Instance: f.Instance, Subject: f.ID,
				Before: f.Severity, Detail: f.Title})
		}
	}
	return out
}

// severity is the order of a name; -1 is none that is known.
func severity(name string) check.Severity {
	v, err := check.ParseSeverity(name)
	if err != nil {
		return -1
	}
	return v
}
