package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// compactionHour is how long the counters must have run, in seconds: a host
	// that has just started fills its memory, which proves nothing.
	compactionHour = 3600
	// stallsSome and stallsMany are direct compactions per hour, each of milliseconds to
	// tenths of a second. One per minute is more than huge page pools and network cards
	// cause on a healthy host; with one per second some query is always affected.
	stallsSome = 60
	stallsMany = 3600
)

// CompactionStalls takes the mean since boot: every quiet day after a burst lowers it,
// so a finding is never a single event.
var CompactionStalls = check.Check{
	ID:        "compaction_stalls",
	Area:      check.Memory,
	Severity:  check.Notice,
	Scope:     check.PerHost,
	Title:     "Memory compaction stalls",
	DependsOn: []string{"thp_always"},
	Why: "A huge page is 2 MB of contiguous memory. If none is free, the process that needs one stops and " +
		"moves other pages itself (direct compaction) until one is free, or gives up. Queries can then take ten " +
		"times as long with the same reads and the same plan. A profile shows compaction_alloc and spinlocks instead " +
		"of query work.",
	Do: "1. Check whether the counters still grow. Run twice: grep -E " +
		"'compact_stall|compact_fail|thp_fault_fallback' /proc/vmstat\n" +
		"2. If they do, set transparent huge pages (THP) to madvise and their defrag to defer+madvise.\n" +
		"3. Reserve the huge pages of the server at boot.\n" +
		"4. Keep more memory free for the kernel (vm.min_free_kbytes, vm.watermark_scale_factor).",
	Commands: []check.Command{
		check.Shell("grep -E 'compact_stall|compact_fail|thp_fault_fallback' /proc/vmstat"),
	},
	Sources: []string{"linux-thp", "linux-vm", "blog-page-tables"},
	Judge: func(c *check.Case) {
		vm, ok := check.Need(c, c.Snapshot.Host.VMStat)
		if !ok {
			return
		}
		cpu, ok := check.Need(c, c.Snapshot.Host.CPUTime)
		if !ok || cpu.BootTime <= 0 {
			return
		}
		up := c.Snapshot.TakenAt - cpu.BootTime
		stalls, counted := vm["compact_stall"] // a kernel without compaction has no such line
		if !counted || up < compactionHour {
			return
		}
		hourly := float64(stalls) / (float64(up) / 3600)
		if hourly < stallsSome {
			return
		}
		sev := check.Notice
		if hourly >= stallsMany {
			sev = check.Warning
		}
		seen := []say.Message{say.M("compact_stall = {stalls} since boot {span} ago ({hourly} per hour)", "stalls",
			stalls, "span", say.Span(float64(up)), "hourly", int64(hourly))}
		if fails, ok := vm["compact_fail"]; ok && fails > 0 && fails <= stalls {
			seen = append(seen, say.M("compact_fail = {fails}", "fails", fails))
		}
		if fallback, ok := vm["thp_fault_fallback"]; ok && fallback > 0 {
			seen = append(seen, say.M("thp_fault_fallback = {fallback}", "fallback", fallback))
		}
		c.That(sev, say.M(c.Remedy()), say.M("{seen}.", "seen", say.All("; ", seen...)))
	},
}
