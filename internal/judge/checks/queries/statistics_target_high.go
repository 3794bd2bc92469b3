package queries

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// StatisticsTargetHigh begins where the advice for single columns ends.
var StatisticsTargetHigh = check.Check{
	ID:       "statistics_target_high",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "default_statistics_target is very high",
	Why: "ANALYZE samples 300 rows per unit of the target. At 10000 it reads 100 times as many rows as by " +
		"default, for every table and at every autoanalyze. The planner reads statistics of that length for each " +
		"column of each query. In 18 and earlier, the time to plan a join of two columns with long statistics lists " +
		"grows with the product of their lengths.",
	Do: "Set a target of 100 to 500 (reload): ALTER SYSTEM SET default_statistics_target = 100; SELECT " +
		"pg_reload_conf();\nRaise it only for columns with bad estimates: ALTER TABLE TABLE_NAME ALTER COLUMN " +
		"COLUMN_NAME SET STATISTICS 1000; ANALYZE TABLE_NAME;\nFor columns that depend on each other, use CREATE " +
		"STATISTICS: no target corrects their estimates.",
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
			c.Found("default_statistics_target = {n} (default 100): ANALYZE samples up to {rows} rows of each table.",
				"n", strconv.FormatInt(n, 10), "rows", 300*n)
		}
	},
}
