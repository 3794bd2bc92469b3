package plan_test

import (
	"slices"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/pgfettle/pgfettle/test/hostcase"
)

// TestEveryFindingIsPlannedOrNamed: a warning of check on a host of the whole plans
// is gone from the simulated result, or the plan names it with the reason.
func TestEveryFindingIsPlannedOrNamed(t *testing.T) {
	found, mended := 0, 0
	wholeHosts(t, func(t *testing.T, _ string, _ *golden.Case, h hostcase.Host) {
		s := h.Snapshot
		p := mustPlan(t, s, h.Options)
		left := plan.Leaves(s, p, checks.All(), check.Options{})
		after := check.Run(plan.Simulate(s, p), checks.All(), check.Options{})
		stands := func(f check.Finding) bool {
			return slices.ContainsFunc(after.Findings, func(g check.Finding) bool {
				return g.ID == f.ID && g.Instance == f.Instance && g.Severity >= check.Warning
			})
		}
		named := func(f check.Finding) bool {
			return slices.ContainsFunc(left, func(l plan.Left) bool { return l.ID == f.ID && l.Instance == f.Instance })
		}
		for _, fi := range check.Run(s, checks.All(), check.Options{}).Findings {
			if fi.Severity < check.Warning {
				continue
			}
			found++
			if !stands(fi) {
				mended++
			} else if !named(fi) {
				t.Errorf("%s stands and is not named", fi.ID)
			}
		}
		for _, l := range left {
			if l.Reason == "" || l.Reason == plan.ByPerson && l.Detail.IsZero() {
				t.Errorf("%s is left without a reason: %+v", l.ID, l)
			}
			if l.Reason == plan.NotSeen && len(p.Unknown) == 0 {
				t.Errorf("%s is told to be undecided, and nothing is unknown", l.ID)
			}
		}
	})
	if found == 0 || mended == 0 {
		t.Errorf("%d findings of which plans end %d: this test has seen nothing", found, mended)
	}
}

// TestAcceptedIsNotRaised: accepting a finding keeps the knob that it is about, and the plan names the finding with the
// reason given; an acceptance of another place does not count.
func TestAcceptedIsNotRaised(t *testing.T) {
	d, err := snapshot.ParseDescription(
		"ram=64GB,cpus=16,storage=nvme,pg=17,set.fsync=off,set.full_page_writes=off,set.autovacuum=off")
	if err != nil {
		t.Fatal(err)
	}
	s := host{spec: d}.snapshot(t)
	here := s.Instances[0].Label()
	planned := func(o rule.Options, a knob.Address) bool {
		return slices.ContainsFunc(mustPlan(t, s, o).Changes, func(c plan.Change) bool { return c.Address == a })
	}
	for id, a := range map[string]knob.Address{"fsync_off": "pg:fsync", "full_page_writes_off": "pg:full_page_writes",
		"autovacuum_off": "pg:autovacuum"} {
		if !planned(rule.Options{Profile: rule.OLTP}, a) {
			t.Errorf("%s is not raised though nobody accepts %s", a, id)
		}
		for instance, keeps := range map[string]bool{"": true, here: true, "/elsewhere": false, "host": false} {
			o := rule.Options{Profile: rule.OLTP,
				Accepted: []rule.Accepted{{ID: id, Instance: instance, Reason: "test data", Expires: "never"}}}
			if planned(o, a) == keeps {
				t.Errorf("%s accepted for %q: %s planned: %v", id, instance, a, !keeps)
			}
			if !keeps {
				continue
			}
			p := mustPlan(t, s, o)
			left := plan.Leaves(s, p, checks.All(),
				check.Options{Accept: []check.Acceptance{{ID: id, Instance: instance, Reason: "test data",
					Expires: "never"}}})
			if !slices.ContainsFunc(left, func(l plan.Left) bool {
				return l.ID == id && l.Reason == plan.ByPolicy && l.Detail.String() == "test data"
			}) {
				t.Errorf("%s accepted for %q is not named: %+v", id, instance, left)
			}
			if again := p.Options(); planned(again, a) {
				t.Errorf("%s accepted: planned again from the plan's own options %s is raised", id, a)
			}
		}
	}
	p := mustPlan(t, s, rule.Options{Profile: rule.OLTP, Pins: map[knob.Address]string{"pg:fsync": "off"}})
	left := plan.Leaves(s, p, checks.All(), check.Options{})
	if !slices.ContainsFunc(left, func(l plan.Left) bool { return l.ID == "fsync_off" && l.Reason == plan.ByPin }) {
		t.Errorf("fsync pinned to off is not named: %+v", left)
	}
}

// TestMendsAreChecks: the findings that rules mend are there.
func TestMendsAreChecks(t *testing.T) {
	n := 0
	for _, c := range checks.All() {
		a := rule.Mends(c.ID)
		if a == "" {
			continue
		}
		n++
		if !slices.ContainsFunc(rules.All(), func(r rule.Rule) bool { return string(r.Address) == a }) {
			t.Errorf("%s is about %s, which no rule decides", c.ID, a)
		}
	}
	if n != rule.Mending() {
		t.Errorf("%d of %d findings that rules mend are checks", n, rule.Mending())
	}
}
