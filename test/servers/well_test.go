package servers

import (
	"slices"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/test/kernel"
	"github.com/pgfettle/pgfettle/test/live"
)

// ofTheMachine are findings above notice that no plan of an instance moves: what
// the machine that runs the tests is, or what has happened to it.
var ofTheMachine = []string{
	"clock_source_slow", "compaction_stalls", "cpu_steal", "data_on_tmpfs", "end_of_life", "filesystem_nearly_full",
	"inodes_nearly_full", "memory_balloon", "nobarrier",
	"antivirus_scanner", "cpu_governor", "oom_kills", "psi_memory_pressure", "raid_degraded", "swap_in_use_by_postgres",
	"systemd_oomd", "timing_expensive", "volatile_write_cache", "wal_device_small",
}

// TestWellPlannedServerIsLeftInPeace: a fresh instance runs with the plan of each
// profile as its configuration, the kernel's part is simulated, and nothing
// above notice is found.
func TestWellPlannedServerIsLeftInPeace(t *testing.T) {
	kernel.Beside(t) // a pool of huge pages must not come and go meanwhile
	// one after the other: each commits what is planned for the whole host
	live.Each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		for _, profile := range rule.Profiles {
			t.Run(string(profile), func(t *testing.T) {
				restart(t, i, nil)
				p, _, err := planner.Make(t.Context(), &target.Local{}, evidenceOf(t, i, false), options(profile))
				if err != nil {
					t.Fatal(err)
				}
				restart(t, i, conf(p))
				live := read(t, evidenceOf(t, i, false))
				after := plan.Simulate(live, p)
				r := check.Run(after, checks.All(), check.Options{})
				if len(r.Findings) == 0 {
					t.Error("no finding at all, of a server without checksums: the checks have seen nothing")
				}
				for _, f := range r.Findings {
					candidate := f.ID == "prerelease" && params.Candidate(b.Version.Major()) != ""
					if f.Severity > check.Notice && !candidate && !slices.Contains(ofTheMachine, f.ID) {
						t.Errorf("%s: %s: %s", f.Severity, f.ID, f.Seen)
					}
				}
			})
		}
	})
}
