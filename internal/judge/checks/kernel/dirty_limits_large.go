package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// DirtyLimitsLarge computes what the kernel's percentages mean in bytes here. They
// apply to free memory and page cache, to which MemAvailable is closest.
var DirtyLimitsLarge = check.Check{
	ID:       "dirty_limits_large",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "Dirty page limits are too high (vm.dirty_*)",
	Why: "Writes go to the page cache until vm.dirty_background_bytes (or _ratio) starts writeback and " +
		"vm.dirty_bytes (or _ratio) blocks the writers. As a percentage of a large memory that is a backlog " +
		"of seconds to minutes of disk time. A COMMIT or the end of a checkpoint that has to sync waits for " +
		"it. PostgreSQL keeps its own backlog small (checkpoint_flush_after), but dumps, copies and other " +
		"programs do not.",
	Do: "1. Write into /etc/sysctl.d/60-postgresql.conf:\n" +
		"vm.dirty_background_bytes = 268435456\n" +
		"vm.dirty_bytes = 1073741824\n" +
		"2. Run: sysctl --system\n" +
		"Each replaces its ratio and takes effect at once. If TuneD runs, set them in its profile, which " +
		"would overwrite them.",
	Commands: []check.Command{
		check.Conf("vm.dirty_background_bytes = 268435456"),
		check.Conf("vm.dirty_bytes = 1073741824"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"linux-vm", "linux-writeback", "dalibo-j1", "tuned-postgresql"},
	Judge: func(c *check.Case) {
		mem, ok := check.Need(c, c.Snapshot.Host.Memory)
		if !ok {
			return
		}
		dirtyable := mem.Told("MemAvailable")
		stop, ratio, ok1 := dirtyLimit(c, dirtyable, "vm.dirty_bytes", "vm.dirty_ratio")
		start, _, ok2 := dirtyLimit(c, dirtyable, "vm.dirty_background_bytes", "vm.dirty_background_ratio")
		for _, name := range []string{"vm.dirty_bytes", "vm.dirty_ratio", "vm.dirty_background_bytes",
			"vm.dirty_background_ratio"} {
			if _, _, told := notInForce(c, name); told {
				c.Because("sysctl_not_in_force")
			}
		}
		if ok1 && ok2 && stop >= limits.DirtyMuch {
			sev := check.Notice
			if c.Snapshot.AllOnZFS() {
				// the dirty data of the instances is in the ARC of ZFS, which these limits do not count
				sev = check.Info
			}
			seen := say.Template("vm.dirty_bytes is set: writers block at about {stop} of dirty pages. Background " +
				"writeback starts at about {start}.")
			if ratio > 0 {
				seen = "vm.dirty_ratio = {ratio} (percent of available memory): writers block at about {stop} of " +
					"dirty pages. Background writeback starts at about {start}."
			}
			c.FoundAs(sev, seen, "stop", stop, "start", start, "ratio", ratio)
		}
	},
}

// dirtyLimit returns a limit in bytes: the one in bytes if it is set, else the
// ratio of dirtyable memory, and then the ratio in percent.
func dirtyLimit(c *check.Case, dirtyable known.Fact[unit.Bytes], inBytes, inPercent string) (limit unit.Bytes,
	ratio int64, ok bool) {
	b, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int(inBytes))
	if !ok {
		return 0, 0, false
	}
	if b > 0 {
		return unit.Bytes(b), 0, true
	}
	r, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int(inPercent))
	if !ok || r < 0 {
		return 0, 0, false
	}
	of, ok := check.Need(c, dirtyable)
	if !ok {
		return 0, 0, false
	}
	return of.Scale(float64(r) / 100), r, true
}
