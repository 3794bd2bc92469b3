package queries

import (
	"fmt"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// enoughQuick is the share of readings below a microsecond from which timing is
// cheap, by the page of pg_test_timing.
const enoughQuick = 0.9

// TimingExpensive knows the sources that need a system call and a device. A probe with
// pg_test_timing takes precedence over the name.
var TimingExpensive = check.Check{
	ID:       "timing_expensive",
	Area:     check.Query,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "I/O timing enabled with a slow clock source",
	Why: "The server reads the clock before and after each block that it reads or writes. If the CPU cannot " +
		"read the clock source directly, each reading takes one to several microseconds, about as long as " +
		"finding the block in the page cache. EXPLAIN ANALYZE then mostly shows its own overhead. Timing is " +
		"cheap if pg_test_timing shows most readings (over 90%) below one microsecond.",
	Do: "Run pg_test_timing. List the available clock sources, and switch to a faster one if there is one: cat " +
		"/sys/devices/system/clocksource/clocksource0/available_clocksource\nOtherwise turn I/O timing off (reload): " +
		"ALTER SYSTEM SET track_io_timing = off; ALTER SYSTEM RESET track_wal_io_timing; SELECT pg_reload_conf();",
	Commands: []check.Command{
		check.Shell("cat /sys/devices/system/clocksource/clocksource0/available_clocksource"),
		check.SQL("ALTER SYSTEM SET track_io_timing = off;"),
		check.SQL("ALTER SYSTEM RESET track_wal_io_timing;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-test-timing", "pg-config-statistics", "dalibo-j1"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		var on []string
		for _, name := range []string{"track_io_timing", "track_wal_io_timing"} {
			if v, _ := set.Bool(name); v {
				on = append(on, name+" = on")
			}
		}
		if len(on) == 0 {
			return
		}
		if t, under, ok := c.Snapshot.MeasuredTiming(); ok { // goes before what the name of the source lets expect
			if under < enoughQuick {
				c.Found("{on}; clock readings below one microsecond: {share} ({by}).", "on", say.Names(on, 0),
					"share", say.Number(fmt.Sprintf("%.0f%%", under*100)), "by", t.By)
			}
			return
		}
		clock, ok := check.Need(c, c.Snapshot.Host.Clock)
		if ok && slices.Contains(limits.SlowClocks, clock.Current) {
			c.Found("{on}; clock source: {clock}; available: {available}.", "on", say.Names(on, 0),
				"clock", clock.Current, "available", say.Names(clock.Available, 0))
		}
	},
}
