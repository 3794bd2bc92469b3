package queries

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// enoughQuick is the share of readings below a microsecond from which timing is
// cheap, by the page of pg_test_timing.
const enoughQuick = 0.9

// TimingExpensive names the sources that need a system call and a device; of the others a
// probe with pg_test_timing has to tell, which goes before the name.
var TimingExpensive = check.Check{
	ID:       "timing_expensive",
	Area:     check.Query,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Timing of I/O is on with a slow clock",
	Why: "The clock is read before and after every block that is read or written. A clock source that the processor " +
		"cannot read by itself costs " +
		"one to several microseconds for each reading, as much as finding the block in the page cache, and EXPLAIN " +
		"ANALYZE shows times that are " +
		"mostly its own. The limit that pg_test_timing gives is one microsecond, not one nanosecond.",
	Do: "See what pg_test_timing says, and switch to a faster source if there is one: cat " +
		"/sys/devices/system/clocksource/clocksource0/available_clocksource. Otherwise ALTER SYSTEM SET " +
		"track_io_timing = off; ALTER SYSTEM " +
		"RESET track_wal_io_timing; SELECT pg_reload_conf();.",
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
				on = append(on, name)
			}
		}
		if len(on) == 0 {
			return
		}
		if t, under, ok := c.Snapshot.MeasuredTiming(); ok { // goes before what the name of the source lets expect
			if under < enoughQuick {
				c.Found("{on} = on, and {share} of the readings of the clock took less than a microsecond ({by}).",
					"on", strings.Join(on, ", "),
					"share", fmt.Sprintf("%.0f %%", under*100), "by", t.By)
			}
			return
		}
		clock, ok := check.Need(c, c.Snapshot.Host.Clock)
		if ok && slices.Contains(limits.SlowClocks, clock.Current) {
			c.Found("{on} = on with clock source {clock}; available: {available}.", "on", strings.Join(on, ", "),
				"clock", clock.Current,
				"available", strings.Join(clock.Available, ", "))
		}
	},
}
