package monitor

import (
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
)

// heldLooks is the number of consecutive looks in which a state must be seen before it is reported, like "for:" of an
// alert rule: what is gone in the next look, or comes and goes with every second one, is no news. With a look every ten
// minutes it is reported after twenty.
//
// Reported at once are events, which are final (an OOM kill, a restart or crash, a boot, a setting that was changed),
// and findings that are critical: they mean data loss or an outage now, and twenty minutes of it cost more than a false
// alarm.
const heldLooks = 3

// pending is a finding that appeared, vanished or has another severity, and was not seen often enough to be reported.
type pending struct {
	Instance string    `json:"instance,omitempty"`
	ID       string    `json:"id"`
	Severity string    `json:"severity,omitempty"` // it would have; "": it would be gone
	Since    time.Time `json:"since,omitzero"`     // the look before the first that saw it
	First    time.Time `json:"first"`              // the first look that saw it
	Looks    int       `json:"looks"`
}

// mostPending bounds what is remembered: with a path for each they fit what the
// history keeps of one key.
const mostPending = 200

// hold returns the reported state given what was reported (told) and what a look found (now), and how each difference
// between the two was seen; list is that of the previous look. atOnce are those that need not last: accepted in the
// policy, or of a server that is not awaited any more.
func hold(told, now []history.Finding, list []pending, at, before time.Time,
	atOnce func(history.Finding) bool) (stands []history.Finding, left []pending, passed map[findingKey]pending) {
	was, is := map[findingKey]history.Finding{}, map[findingKey]history.Finding{}
	for _, f := range told {
		was[keyOf(f)] = f
	}
	for _, f := range now {
		is[keyOf(f)] = f
	}
	waits := map[findingKey]pending{}
	for _, p := range list {
		waits[findingKey{p.Instance, p.ID}] = p
	}
	passed = map[findingKey]pending{}
	held := func(k findingKey, severity string, immediate bool) bool {
		p := waits[k]
		if p.Looks == 0 || p.Severity != severity {
			p = pending{Instance: k.instance, ID: k.id, Severity: severity, Since: before, First: at}
		}
		p.Looks++
		if immediate || p.Looks >= heldLooks {
			passed[k] = p
			return true
		}
		if len(left) < mostPending {
			left = append(left, p)
		}
		return false
	}
	for _, f := range now {
		old, stood := was[keyOf(f)]
		switch {
		case stood && old.Severity == f.Severity:
			stands = append(stands, f)
		case held(keyOf(f), f.Severity, severity(f.Severity) == check.Critical):
			stands = append(stands, f)
		case stood:
			stands = append(stands, old)
		}
	}
	for _, f := range told {
		if _, there := is[keyOf(f)]; !there && !held(keyOf(f), "", atOnce(f)) {
			stands = append(stands, f)
		}
	}
	slices.SortFunc(stands, func(a, b history.Finding) int {
		return strings.Compare(a.Instance+"\x00"+a.ID, b.Instance+"\x00"+b.ID)
	})
	return stands, left, passed
}

// findingsTurned adds what a look found, reports what has lasted, and returns the reported state.
func (w *Watcher) findingsTurned(s *snapshot.Snapshot, report *check.Report, at time.Time) (now []history.Finding) {
	if w.standing == nil { // the first look of a run: what was reported, and what is pending
		w.standing = standsWith(w.findings, w.pending)
	}
	now = standing(s, checks.All(), report, w.standing, w.awaited())
	w.standing = now
	if w.standing == nil {
		w.standing = []history.Finding{}
	}
	if !w.baseline {
		w.findings, w.baseline = now, true
		return now
	}
	accepted := map[findingKey]bool{}
	for _, f := range report.Accepted {
		accepted[findingKey{f.Instance, f.ID}] = true
	}
	awaited := w.awaited()
	for i := range s.Instances {
		awaited[s.Instances[i].Label()] = true
	}
	stands, left, passed := hold(w.findings, now, w.pending, at, w.looked, func(f history.Finding) bool {
		return accepted[keyOf(f)] || !awaited[f.Instance]
	})
	for _, e := range turns(w.findings, stands, true) {
		p := passed[findingKey{e.Instance, e.Subject}]
		e.At, e.Since, e.Held = at, p.Since, p.First
		w.announce(e)
	}
	w.findings, w.pending = stands, left
	return now
}

// standsWith are the findings that an earlier run saw last, reported or not.
func standsWith(told []history.Finding, list []pending) []history.Finding {
	out := slices.Clone(told)
	for _, p := range list {
		k := findingKey{p.Instance, p.ID}
		at := slices.IndexFunc(out, func(f history.Finding) bool { return keyOf(f) == k })
		switch {
		case p.Severity == "" && at >= 0:
			out = slices.Delete(out, at, at+1)
		case at >= 0:
			out[at].Severity = p.Severity
		case p.Severity != "":
			out = append(out, history.Finding{Instance: p.Instance, ID: p.ID, Severity: p.Severity})
		}
	}
	if out == nil {
		out = []history.Finding{}
	}
	return out
}
