package plan_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/pgfettle/pgfettle/test/hostcase"
)

// workMemFound returns what the check of work_mem says of a snapshot at notice or above. Information is what a plan may
// leave if it says how many connections fit.
func workMemFound(s *snapshot.Snapshot) []check.Finding {
	list := check.Run(s, checks.All(), check.Options{Only: []string{"work_mem_vs_memory"}}).Findings
	return slices.DeleteFunc(list, func(f check.Finding) bool { return f.Severity < check.Notice })
}

// TestPlannedWorkMemIsNotFound: what a plan gives to work_mem is not what a check
// complains of, on any of the whole plans' hosts.
func TestPlannedWorkMemIsNotFound(t *testing.T) {
	wholeHosts(t, func(t *testing.T, name string, _ *golden.Case, h hostcase.Host) {
		if name == "onec_2015.txtar" {
			return // its work_mem of 1 GB stays, because no shortage was seen; well_test.go has its finding
		}
		for _, found := range workMemFound(plan.Simulate(h.Snapshot, mustPlan(t, h.Snapshot, h.Options))) {
			t.Errorf("%s: %s", found.Severity, found.Seen)
		}
	})
}

// TestPlannedWorkMemIsNotFoundAnywhere is the same for random hosts. What the
// user said of the sessions at work (--active) no check hears of.
func TestPlannedWorkMemIsNotFoundAnywhere(t *testing.T) {
	before := 0
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		h.opt.Active = 0
		if rapid.Bool().Draw(t, "much") {
			h.spec.Settings["work_mem"] = strconv.Itoa(rapid.IntRange(4096, 1<<20).Draw(t, "work_mem"))
		}
		s := h.snapshot(t)
		before += len(workMemFound(s))
		p := mustPlan(t, s, h.opt)
		if p.Budget.Fit < p.Budget.Open {
			return // which the plan says
		}
		for _, found := range workMemFound(plan.Simulate(s, p)) {
			t.Fatalf("%v\nplanned, and %s: %s", h, found.Severity, found.Seen)
		}
	})
	if before == 0 {
		t.Error("no host had the finding before it was planned: this test has seen nothing")
	}
}

// TestPlannedConnectionsAreNotFound: nor does a check complain of the connections if only the plan has decided how many
// there are.
func TestPlannedConnectionsAreNotFound(t *testing.T) {
	only := check.Options{Only: []string{"connections_vs_memory"}}
	before := 0
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		h.opt.Connections, h.opt.Pins = 0, nil
		s := h.snapshot(t)
		s.Described = false // of a host that is there, and idle
		s.Instances[0].Server.Activity = known.Is(pg.Activity{})
		if len(check.Run(s, checks.All(), only).Findings) == 0 {
			return
		}
		before++
		for _, found := range check.Run(plan.Simulate(s, mustPlan(t, s, h.opt)), checks.All(), only).Findings {
			t.Fatalf("%v\nplanned, and %s: %s", h, found.Severity, found.Seen)
		}
	})
	t.Logf("%d hosts had the finding before", before)
	if before == 0 {
		t.Error("no host had the finding before it was planned: this test has seen nothing")
	}
}
