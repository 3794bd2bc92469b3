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
	Title:     "Reading the clock is slow on this machine",
	DependsOn: []string{"timing_expensive"}, // which says what it costs now
	Why: "EXPLAIN ANALYZE reads the clock twice for each row of each node, and track_io_timing around each read. " +
		"With a clock source that is a device the reading costs about a microsecond, which can double the " +
		"time of what is measured and makes cheap nodes look dear.",
	Do: "Look at dmesg | grep -i clocksource for why the kernel gave up the fast one (often an unstable TSC or a " +
		"hypervisor's setting). Where tsc is in " +
		"/sys/devices/system/clocksource/clocksource0/available_clocksource and known to be stable, write it into " +
		"current_clocksource and boot with clocksource=tsc. Measure with pg_test_timing before and after.",
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
			c.Found("The clock source is {clock}, though tsc is available.", "clock", k.Current)
			return
		}
		c.Found("The clock source is {clock}.", "clock", k.Current)
	},
}
