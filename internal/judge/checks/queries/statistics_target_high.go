package queries

import (
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// StatisticsTargetHigh begins where the advice for single columns ends.
var StatisticsTargetHigh = check.Check{
	ID:       "statistics_target_high",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The statistics target is very high for all columns",
	Why: "ANALYZE samples 300 rows for each unit of the target, so it reads a hundred times as much at 10000 as by " +
		"default, on every table and at " +
		"every autovacuum. The planner then reads lists of that length for each column of each query: with two long " +
		"lists in a join the work " +
		"grows with their product before 19.",
	Do: "Set default_statistics_target = 100 to 500 (ALTER SYSTEM SET default_statistics_target = 100; SELECT " +
		"pg_reload_conf();) and raise it " +
		"where the estimate is wrong: ALTER TABLE … ALTER COLUMN … SET STATISTICS 1000; ANALYZE …; For columns that " +
		"depend on each other CREATE " +
		"STATISTICS does what no target can.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET default_statistics_target = 100;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-query", "its-1c"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if n, ok := set.Int("default_statistics_target"); ok && n >= limits.StatisticsMost {
			c.Found("default_statistics_target = {n}: ANALYZE samples up to {rows} rows of each table.", "n",
				n, "rows", 300*n)
		}
	},
}
