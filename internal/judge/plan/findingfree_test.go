package plan_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// left are the findings that a plan leaves on any host, with the reason: what no setting
// of its own would mend, or what somebody has decided.
var left = map[string]string{
	"checksums_off":              "pg_checksums writes every page while the server is stopped",
	"pg_stat_statements_missing": "an extension is installed by whoever wants it",
	"checkpoints_too_frequent":   "it counts the time before the plan",
	"temp_files":                 "it counts the time before the plan",
	"backends_write_buffers":     "it counts the time before the plan",
	"wal_buffers_full":           "it counts the time before the plan",
	"geqo_before_collapse":       "a collapse limit that somebody raised stays, as the rule for it says",
	"planner_method_off":         "durability and methods that somebody switched off are told, not changed",
	"planner_costs_scaled":       "all costs together are scaled by somebody's measurement, or not: the plan cannot know",
	"row_security_off":           "a question of rights",
	"synchronous_commit_off":     "what may be lost is its owner's decision",
	"statement_timeout_global":   "whom it would stop is not known",
}

// ofHost are findings of the kernel and its disks, which belong to others in a container.
var ofHost = []string{"dirty_limits_large", "swappiness_high", "thp_always", "zone_reclaim", "overcommit_mode_1", "overcommit_limit_too_low",
	"swap_none", "io_scheduler_bfq", "read_ahead_wrong", "mount_strictatime", "min_free_large", "thp_shmem_forced"}

// ofLoad are findings of memory where more was asked for than fits: as many connections, or sessions at
// work, as a person named, or as a value that somebody wrote keeps.
var ofLoad = []string{"cgroup_limit_below_plan", "connections_vs_memory", "page_tables_large", "work_mem_vs_memory", "temp_buffers_vs_memory",
	"overcommit_limit_too_low", "shared_buffers_vs_memory", "idle_sessions_memory", "maintenance_memory_times_workers"}

// unexpected returns the findings at notice or above of the result of a plan that the
// plan does not say it leaves.
func unexpected(s *snapshot.Snapshot, p *plan.Plan, o rule.Options) (out []check.Finding) {
	warned := strings.Join(p.Warnings, "\n")
	container := strings.Contains(warned, "This is a container")
	asked := o.Connections > 0 || o.Active > 0 || strings.Contains(warned, "does not fit") || strings.Contains(warned, "connections")
	for _, f := range check.Run(plan.Simulate(s, p), check.All(), check.Options{}).Findings {
		_, stays := left[f.ID]
		switch {
		case f.Severity < check.Notice, stays:
		case container && slices.Contains(ofHost, f.ID):
		case asked && slices.Contains(ofLoad, f.ID):
		case f.ID == "mount_strictatime" && strings.Contains(warned, "strictatime"):
		case f.ID == "io_scheduler_bfq" || f.ID == "read_ahead_wrong":
			if !strings.Contains(warned, "queue") && !strings.Contains(warned, "read-ahead") && !strings.Contains(warned, "scheduler") {
				out = append(out, f)
			}
		default:
			out = append(out, f)
		}
	}
	return out
}

// TestPlannedIsFindingFree: check has nothing to say of what a plan leads to at notice or
// above, but what the plan leaves and says so, for every profile and version.
func TestPlannedIsFindingFree(t *testing.T) {
	before := 0
	rapid.Check(t, func(t *rapid.T) {
		h := hosts().Draw(t, "host")
		h.opt.Pins = nil // what a person pins is his
		s := h.snapshot(t)
		before += len(unexpected(s, &plan.Plan{}, h.opt))
		for _, f := range unexpected(s, mustPlan(t, s, h.opt), h.opt) {
			t.Fatalf("%v\nplanned, and %s %s: %s", h, f.Severity, f.ID, f.Seen)
		}
	})
	if before == 0 {
		t.Error("no host had a finding before it was planned: this test has seen nothing")
	}
}

// TestPlannedHostsAreFindingFree is the same for the hosts of whole plans.
func TestPlannedHostsAreFindingFree(t *testing.T) {
	files, err := filepath.Glob("testdata/hosts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no hosts: %v", err)
	}
	for _, name := range files {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		a, o := buildHost(t, string(ar.Files[0].Data))
		s := read(t, a)
		for _, f := range unexpected(s, mustPlan(t, s, o), o) {
			t.Errorf("%s: %s %s: %s", filepath.Base(name), f.Severity, f.ID, f.Seen)
		}
	}
}
