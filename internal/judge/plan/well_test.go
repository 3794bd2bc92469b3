package plan_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/pgfettle/pgfettle/test/hostcase"
)

// notPlannable are the findings above notice that a plan leaves: what it never changes because the safety of data, or
// an unknown application, is involved. They remain on hosts where they were chosen deliberately.
var notPlannable = map[string][]string{
	"onec_2015.txtar": {"planner_method_off", "work_mem_vs_memory"}, // without a known shortage
}

// above returns the findings above notice.
func above(s *snapshot.Snapshot) []check.Finding {
	var out []check.Finding
	for _, f := range check.Run(s, checks.All(), check.Options{}).Findings {
		if f.Severity > check.Notice {
			out = append(out, f)
		}
	}
	return out
}

// TestWellPlannedIsLeftInPeace: applied, the plan of each whole host leaves nothing above notice, except for what no
// plan touches.
func TestWellPlannedIsLeftInPeace(t *testing.T) {
	wholeHosts(t, func(t *testing.T, name string, _ *golden.Case, h hostcase.Host) {
		left := map[string]bool{}
		for _, id := range notPlannable[name] {
			left[id] = true
		}
		for _, found := range above(plan.Simulate(h.Snapshot, mustPlan(t, h.Snapshot, h.Options))) {
			if !left[found.ID] {
				t.Errorf("%s: %s: %s", found.Severity, found.ID, found.Seen)
			}
			delete(left, found.ID)
		}
		for id := range left {
			t.Errorf("%s is not found: it need not be left out", id)
		}
	})
}

// TestWellPlannedIsLeftInPeaceAnywhere is the same for fresh instances on random hosts. If the budget itself says that
// the host is too small, the checks may say so too. What the user said of the sessions at work (--active) no check
// hears of.
func TestWellPlannedIsLeftInPeaceAnywhere(t *testing.T) {
	fits := 0
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		h.opt.Active = 0
		h.spec.Settings, h.spec.Answers = nil, nil
		s := h.snapshot(t)
		p := mustPlan(t, s, h.opt)
		if p.Budget.After.Shortfall > 0 {
			return
		}
		fits++
		for _, found := range above(plan.Simulate(s, p)) {
			t.Fatalf("%v\nplanned, and %s: %s: %s", h, found.Severity, found.ID, found.Seen)
		}
	})
	if fits == 0 {
		t.Error("no host was large enough: this test has seen nothing")
	}
}
