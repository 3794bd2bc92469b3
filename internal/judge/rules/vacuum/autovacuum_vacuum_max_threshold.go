package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumVacuumMaxThreshold = rule.Rule{
	Address: knob.PG("autovacuum_vacuum_max_threshold"),
	Title:   "Cap on dead rows before a vacuum (large tables)",
	Why: "A fraction of a very large table is a very large number of rows. This setting caps the threshold that the " +
		"scale factor gives, so the scale factor can suit small tables.",
	Formula: "5 million if --deep shows a changing table for which the scale factor allows more. Otherwise at most " +
		"100 million, the default, also if it is -1 (off). Lower values stay.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	From:    18,
	Needs:   []knob.Address{knob.PG("autovacuum_vacuum_scale_factor")},
	Decide: func(c *rule.Case) {
		const byDefault = 100e6
		have := c.Now()
		share, ok := c.Float(knob.PG("autovacuum_vacuum_scale_factor"))
		rows, seen := largestChanging(c)
		want, text := byDefault,
			say.Template("without a cap, the scale factor allows hundreds of millions of dead rows in a very large "+
				"table; 100 million is the default")
		if seen && ok && share*float64(rows) > deadMost {
			want, text = deadMost,
				"rows in the largest changing table: {rows}; a fraction of {share} is more than 5 million"
		}
		switch {
		case have >= 0 && have <= want && seen:
			c.Keep("dead rows that trigger a vacuum: at most {present}; rows in the largest changing table: {rows}",
				"present",
				c.Shown(), "rows", rows)
		case have >= 0 && have <= want:
			c.Keep("dead rows that trigger a vacuum: at most {present}; with --deep, the largest table decides",
				"present", c.Shown())
		default:
			c.Set(want, text, "present", c.Shown(), "rows", rows, "share", share)
		}
	},
}
