package kernel

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// ClockSourceSlow is a notice: nothing is wrong with the data, but EXPLAIN
// ANALYZE and track_io_timing pay for every reading.
var ClockSourceSlow = check.Check{
	ID:        "clock_source_slow",
	Area:      check.Kernel,
	Severity:  check.Notice,
	Scope:     check.PerHost,
	Title:     "Slow clock source",
	DependsOn: []string{"timing_expensive"}, // which reports the present cost
	Why: "EXPLAIN ANALYZE reads the clock twice per row and plan node, and track_io_timing reads it around " +
		"each I/O. If the clock source is a device, each reading takes about one microsecond. That can double " +
		"the measured time and makes cheap nodes look expensive.",
	Do: "1. Find out why the kernel dropped the fast clock source, often an unstable TSC or a hypervisor " +
		"setting: dmesg | grep -i clocksource\n" +
		"2. If /sys/devices/system/clocksource/clocksource0/available_clocksource lists tsc and it is known " +
		"to be stable, write tsc into current_clocksource.\n" +
		"3. Make it permanent with clocksource=tsc on the kernel command line.\n" +
		"Verify: run pg_test_timing before and after.",
	Commands: []check.Command{
		check.Shell("dmesg | grep -i clocksource"),
	},
	Sources: []string{"pg-test-timing", "linux-timekeeping"},
	Judge: func(c *check.Case) {
		k, ok := check.Need(c, c.Snapshot.Host.Clock)
		if !ok || !slices.Contains(limits.SlowClocks, k.Current) {
			return
		}
		if slices.Contains(k.Available, "tsc") {
			c.Found("current_clocksource = {clock}, although tsc is available.", "clock", k.Current)
			return
		}
		c.Found("current_clocksource = {clock}.", "clock", k.Current)
	},
}
