package logging

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackIOTiming = rule.Rule{
	Address: knob.PG("track_io_timing"),
	Title:   "whether the time of each read and write is taken",
	Why: "With it EXPLAIN, pg_stat_io and pg_stat_statements tell a query that waits for disks from one that " +
		"computes. It reads the clock twice for each block: " +
		"tens of nanoseconds with the processor's own counter, microseconds where the kernel has to ask a chip.",
	Formula: "With pgfettle probe: on where at least nine in ten readings of the clock took less than a " +
		"microsecond, as it is where they did not. Else on where the kernel's clock source is tsc, kvm-clock, " +
		"hyperv_clocksource…, arch_sys_counter or timebase; as it is with hpet, acpi_pm, jiffies or any other.",
	Sources: []string{"pg-config-statistics", "pg-test-timing"},
	Decide:  decideTiming("waits for the disks can be told from computing"),
}

// quickClocks are the clock sources that are read without leaving the process.
var quickClocks = []string{"tsc", "kvm-clock", "arch_sys_counter", "timebase"}

// quickShare of the readings have to take less than a microsecond: the limit that
// the page of pg_test_timing gives.
const quickShare = 0.9

// decideTiming switches a timing on where the clock is cheap to read.
func decideTiming(gain say.Template) func(*rule.Case) {
	return func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		if have == "on" {
			c.Keep("it is on")
			return
		}
		_, _ = rule.Need(c, c.Snapshot.Measured) // a probe that cannot be read is told
		if t, under, ok := c.Snapshot.MeasuredTiming(); ok {
			inputs := []any{"share", fmt.Sprintf("%.1f", under*100), "loop",
				fmt.Sprintf("%.0f", t.Timing.Server().LoopNanos), "by", t.By}
			if under < quickShare {
				c.Keep(
					"{share} % of the readings of the clock took less than a microsecond, {loop} ns on average "+
						"({by}): too slow to read it around every block", inputs...)
				return
			}
			c.SetAs(true, say.All("; ", say.M(gain), say.M("reading the clock was measured at {loop} ns on average, "+
				"{share} % below a microsecond ({by})", inputs...)))
			return
		}
		clock, ok := rule.Need(c, c.Snapshot.Host.Clock)
		if !ok {
			return
		}
		if !slices.Contains(quickClocks, clock.Current) && !strings.HasPrefix(clock.Current, "hyperv_clocksource") {
			c.Keep(
				"the clock source is {clock}, which may cost a microsecond and more for each reading: run "+
					"pg_test_timing first", "clock", clock.Current)
			return
		}
		c.SetAs(true, say.All("; ", say.M(gain), say.M("the clock source {clock} costs some tens of nanoseconds for "+
			"each reading", "clock", clock.Current)))
	}
}
