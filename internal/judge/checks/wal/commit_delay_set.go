package wal

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// CommitDelaySet judges by the mean rate since the statistics were reset, read-only transactions
// included, so it errs towards silence.
var CommitDelaySet = check.Check{
	ID:        "commit_delay_set",
	Area:      check.WAL,
	Severity:  check.Notice,
	Scope:     check.PerInstance,
	Title:     "commit_delay adds latency without benefit",
	DependsOn: []string{"fsync_off"},
	Why: "With commit_delay, a commit waits before it flushes the WAL, so that other commits can share the flush. " +
		"It helps only if several commits arrive within the delay. At this rate, none does on average: each " +
		"commit that waits is only delayed, unless commits come in bursts.",
	Do: "1. Reset commit_delay (reload): ALTER SYSTEM RESET commit_delay; SELECT pg_reload_conf();\n2. If commits " +
		"are slow, measure the flush with pg_test_fsync.\n3. For transactions that may be lost, synchronous_commit = " +
		"off saves the whole flush.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET commit_delay;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-wal", "pg-wal-configuration", "its-1c"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		delay, ok := set.Int("commit_delay") // microseconds
		if !ok || delay == 0 {
			return
		}
		tps, ok := check.Need(c, check.CommitRate(c.Instance.Server))
		if !ok {
			return
		}
		if together := tps * float64(delay) / 1e6; together < 1 {
			c.Found(
				"commit_delay = {delay} µs; {tps} transactions per second on average, {together} of them within one "+
					"delay.",
				"delay", delay, "tps", say.Number(fmt.Sprintf("%.1f", tps)), "together",
				say.Number(fmt.Sprintf("%.3f", together)))
		}
	},
}
