package plan_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/pgfettle/pgfettle/test/hostcase"
	random "github.com/pgfettle/pgfettle/test/hosts"
)

// outOfReach are the findings at notice and above that no plan ends on any host, with the
// reason: no setting mends them, or what they count was counted before the plan.
var outOfReach = map[string]string{
	"checksums_off":              "pg_checksums writes every page while the server is stopped",
	"pg_stat_statements_missing": "an extension is installed by whoever wants it",
	"checkpoints_too_frequent":   "it counts the time before the plan",
}

// byDecision are findings about deliberate choices, which are reported and not changed: durability, rights and methods
// of the planner.
var byDecision = map[string]string{
	"planner_method_off":     "which query it was switched off for is not known",
	"planner_costs_scaled":   "all costs together are scaled by a measurement, or not: the plan cannot know",
	"row_security_off":       "a question of rights",
	"synchronous_commit_off": "what a crash may lose is its owner's decision",
}

// ofTheHost are findings of the kernel, which a container has from the host below.
var ofTheHost = []string{"dirty_limits_large", "swappiness_high", "thp_always"}

// ofTheLoad are findings of memory: a plan leaves them if not all connections that can be open fit when active, and
// says how many do.
var ofTheLoad = []string{"cgroup_limit_below_plan", "connections_vs_memory", "page_tables_large", "work_mem_vs_memory"}

// ofTheDisk are findings of devices and mounts: a plan leaves them if it names what prevents the change.
var ofTheDisk = []string{"io_scheduler_bfq", "read_ahead_wrong", "mount_strictatime"}

// leavesWith says by which of its own words a plan leaves a finding; "" for none.
func leavesWith(p *plan.Plan, f *check.Finding) string {
	warned := func(words ...string) string {
		for _, w := range p.Warnings {
			if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(w.String(), word) }) {
				return w.String()
			}
		}
		return ""
	}
	switch {
	case outOfReach[f.ID] != "":
		return outOfReach[f.ID]
	case slices.Contains(ofTheHost, f.ID):
		return warned("Running in a container", "No kernel parameter is planned here")
	case f.ID == "page_tables_large" && warned("Page tables can take") != "":
		return warned("Page tables can take")
	case slices.Contains(ofTheLoad, f.ID) && p.Budget.Fit < p.Budget.Open:
		return warned("connections", "Memory suffices", "work_mem = ")
	case slices.Contains(ofTheDisk, f.ID):
		if w := warned("Running in a container"); w != "" {
			return w
		}
		if w := warned("strictatime", "pgfettle does not change it"); w != "" && f.ID == "mount_strictatime" {
			return w
		}
		for _, g := range p.Unknown { // block:sda/scheduler; etc/fstab
			device, _, _ := strings.Cut(strings.TrimPrefix(g.Fact, "block:"), "/")
			if strings.HasPrefix(g.Fact, "block:") && strings.Contains(f.Seen.String(), device) ||
				f.ID == "mount_strictatime" && strings.HasSuffix(g.Fact, "fstab") {
				return g.Reason
			}
		}
	}
	return ""
}

// unexpected returns the findings at notice or above of the result of a plan that the plan
// does not say it leaves; those that it leaves are counted.
func unexpected(s *snapshot.Snapshot, p *plan.Plan, left map[string]int) (out []check.Finding) {
	for _, f := range check.Run(plan.Simulate(s, p), checks.All(), check.Options{Plan: p.Options()}).Findings {
		if f.Severity < check.Notice {
			continue
		}
		if leavesWith(p, &f) == "" {
			out = append(out, f)
		}
		left[f.ID]++
	}
	return out
}

// roundsOfHosts is how many hosts are drawn for each profile and major version: 336 in all, and 10,080
// with PGFETTLE_LAB=full. Its seeds are the numbers from 0.
func roundsOfHosts() int {
	if os.Getenv("PGFETTLE_LAB") == "full" {
		return 240
	}
	return 8
}

// TestPlannedIsFindingFree: check has nothing to say at notice or above of what a plan leads to, but what
// the plan leaves and says so, for every profile and version.
func TestPlannedIsFindingFree(t *testing.T) {
	before, seed, left := 0, 0, map[string]int{}
	for range roundsOfHosts() {
		for _, profile := range rule.Profiles {
			for major := 13; major <= 19; major++ {
				x := random.Any().Example(seed)
				seed++
				x.Of(major)
				x.Opt.Profile, x.Opt.Pins = profile, nil // pinned values are the user's choice
				h := host{x.Spec, x.Opt}
				s := h.snapshot(t)
				before += len(unexpected(s, &plan.Plan{}, map[string]int{}))
				p := mustPlan(t, s, h.opt)
				for _, f := range unexpected(s, p, left) {
					h.spec.Answers = nil // pointers
					t.Errorf("seed %d, %v\nplanned, and %s %s: %s\nwarnings: %s", seed-1, h, f.Severity, f.ID, f.Seen,
						strings.Join(say.Strings(p.Warnings), "\n"))
				}
			}
		}
	}
	if before < seed {
		t.Errorf("%d findings on %d hosts before they were planned: this test has seen too little", before, seed)
	}
	t.Logf("%d hosts, %d findings before; left: %v", seed, before, left)
	for _, id := range slices.Concat(slices.Collect(maps.Keys(outOfReach)), ofTheHost, ofTheLoad, ofTheDisk) {
		if left[id] == 0 {
			t.Errorf("%s was left on no host: it needs no exception", id)
		}
	}
}

// TestPlannedHostsAreFindingFree is the same for the hosts of whole plans.
func TestPlannedHostsAreFindingFree(t *testing.T) {
	wholeHosts(t, func(t *testing.T, _ string, _ *golden.Case, h hostcase.Host) {
		for _, f := range unexpected(h.Snapshot, mustPlan(t, h.Snapshot, h.Options), map[string]int{}) {
			if byDecision[f.ID] == "" {
				t.Errorf("%s %s: %s", f.Severity, f.ID, f.Seen)
			}
		}
	})
}
