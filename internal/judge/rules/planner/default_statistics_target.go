package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DefaultStatisticsTarget = rule.Rule{
	Address: knob.PG("default_statistics_target"),
	Title:   "Statistics detail per column (ANALYZE)",
	Why: "ANALYZE samples 300 rows per unit and keeps as many most common values and histogram bounds per column. " +
		"More detail improves estimates for skewed columns and slows planning. Data warehouse queries run for " +
		"minutes on large skewed tables, so milliseconds of planning are negligible; for short queries they are not. " +
		"For single columns, use ALTER TABLE … ALTER COLUMN … SET STATISTICS.",
	Formula: "dw: 500 (200 and more stays). 1c: 200. Other profiles: at least 100, the default. 1000 and more " +
		"becomes 500.",
	Sources: []string{"pg-config-query", "pgtune", "postgrespro-1c"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have := c.Now()
		switch {
		case c.Options.Profile == rule.DW && have < 200:
			c.Set(500,
				"in a data warehouse, plans for large skewed tables are worth a sample of 150,000 rows; at {present} "+
					"it has {rows}", "present", c.Shown(), "rows", int64(have)*300)
		case have >= limits.StatisticsMost:
			c.Set(500,
				"at {present}, ANALYZE samples {rows} rows of every table, and planning time grows with the square "+
					"of the common values (up to 18). Use 500 for all, and ALTER TABLE … ALTER COLUMN … SET "+
					"STATISTICS for columns that need more", "present", c.Shown(), "rows", int64(have)*300)
		case c.Options.Profile == rule.OneC && have < 200:
			c.Set(200,
				"1C registers are skewed, and month closing suffers from wrong join estimates; at {present}, ANALYZE "+
					"samples {rows} rows of a table", "present", c.Shown(), "rows", int64(have)*300)
		case have < 100:
			c.Set(100, "{present} is below the default: ANALYZE samples only {rows} rows of a table", "present",
				c.Shown(),
				"rows", int64(have)*300)
		default:
			c.Keep("at {present}, ANALYZE samples {rows} rows of a table", "present", c.Shown(), "rows",
				int64(have)*300)
		}
	},
}
