package logging

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackIOTiming = rule.Rule{
	Address: knob.PG("track_io_timing"),
	Title:   "Timing of block reads and writes",
	Why: "With on, EXPLAIN, pg_stat_io and pg_stat_statements distinguish queries that wait for disks from those " +
		"that use CPU. The clock is read twice per I/O. That takes tens of nanoseconds with the CPU's own counter, " +
		"and microseconds if the kernel must read another clock.",
	Formula: "With pgfettle probe: on if at least 90% of the clock readings take less than 1 µs; otherwise " +
		"unchanged. Without a probe: on with the clock source tsc, kvm-clock, hyperv_clocksource…, arch_sys_counter " +
		"or timebase; unchanged with hpet, acpi_pm, jiffies or any other.",
	Sources: []string{"pg-config-statistics", "pg-test-timing"},
	Decide:  decideTiming("separates disk waits from CPU time"),
}

// quickClocks are the clock sources that are read without leaving the process.
var quickClocks = []string{"tsc", "kvm-clock", "arch_sys_counter", "timebase"}

// quickShare of the readings have to take less than a microsecond: the limit that
// the page of pg_test_timing gives.
const quickShare = 0.9

// decideTiming switches a timing on if the clock is cheap to read.
func decideTiming(gain say.Template) func(*rule.Case) {
	return func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		if have == "on" {
			c.Keep("already on")
			return
		}
		_, _ = rule.Need(c, c.Snapshot.Measured) // a probe that cannot be read is reported
		if t, under, ok := c.Snapshot.MeasuredTiming(); ok {
			inputs := []any{"share", say.Number(fmt.Sprintf("%.1f", under*100)), "loop",
				int64(math.Round(t.Timing.Server().LoopNanos)), "by", t.By}
			if under < quickShare {
				c.Keep(
					"{share}% of the clock readings took less than 1 µs, {loop} ns on average ({by}): too slow to "+
						"time every I/O", inputs...)
				return
			}
			c.SetAs(true, say.All("; ", say.M(gain), say.M("a clock reading takes {loop} ns on average, {share}% of "+
				"them below 1 µs ({by})", inputs...)))
			return
		}
		clock, ok := rule.Need(c, c.Snapshot.Host.Clock)
		if !ok {
			return
		}
		if !slices.Contains(quickClocks, clock.Current) && !strings.HasPrefix(clock.Current, "hyperv_clocksource") {
			c.Keep(
				"with the clock source {clock}, each reading can take 1 µs or more: run pg_test_timing first", "clock",
				clock.Current)
			return
		}
		c.SetAs(true, say.All("; ", say.M(gain), say.M("with the clock source {clock}, each reading takes tens of "+
			"nanoseconds", "clock", clock.Current)))
	}
}
