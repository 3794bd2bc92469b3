package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DefaultStatisticsTarget = rule.Rule{
	Address: knob.PG("default_statistics_target"),
	Title:   "how much detail ANALYZE keeps of each column",
	Why: "ANALYZE reads 300 rows for each unit of it and keeps as many common values and histogram bounds. More " +
		"makes estimates of skewed columns better and planning slower. " +
		"A warehouse's queries run for minutes over large skewed tables, so milliseconds of planning are well " +
		"spent; a short query's are not. " +
		"Single columns are better served by ALTER TABLE … SET STATISTICS.",
	Formula: "dw 500 (from 200 on it stays). 1c 200. Otherwise at least the default of 100. 1000 and more go back " +
		"to 500.",
	Sources: []string{"pg-config-query", "pgtune", "postgrespro-1c"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have := c.Now()
		switch {
		case c.Options.Profile == rule.DW && have < 200:
			c.Set(500,
				"a warehouse's plans over large skewed tables are worth a sample of 150,000 rows; at {present} it "+
					"has {rows}", "present", c.Shown(), "rows", int64(have)*300)
		case have >= limits.StatisticsMost:
			c.Set(500,
				"{present} makes ANALYZE sample {rows} rows of every table and planning slow with the square of the "+
					"common values (up to 18): 500 for all, and ALTER TABLE … SET STATISTICS for the columns that "+
					"need more", "present", c.Shown(), "rows", int64(have)*300)
		case c.Options.Profile == rule.OneC && have < 200:
			c.Set(200,
				"1C's registers are skewed, and wrong estimates of their joins are what month closing hangs on; at "+
					"{present} ANALYZE samples {rows} rows of a table", "present", c.Shown(), "rows", int64(have)*300)
		case have < 100:
			c.Set(100, "{present} is below the default and samples only {rows} rows of a table", "present", c.Shown(),
				"rows", int64(have)*300)
		default:
			c.Keep("at {present} ANALYZE samples {rows} rows of a table", "present", c.Shown(), "rows", int64(have)*300)
		}
	},
}
