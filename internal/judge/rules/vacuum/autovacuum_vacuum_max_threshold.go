package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumVacuumMaxThreshold = rule.Rule{
	Address: knob.PG("autovacuum_vacuum_max_threshold"),
	Title:   "how many dead rows of one table are let pile up, however large it is",
	Why: "A share of a very large table is very many rows. From 18 on this number caps what the scale factor " +
		"makes of it, so the factor can stay right for the small tables.",
	Formula: "5 million where --deep shows a table that changes of which the scale factor would let more than that " +
		"be dead; else at most the default of 100 million, also where it is switched off (-1). Less stays.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	From:    18,
	Needs:   []knob.Address{knob.PG("autovacuum_vacuum_scale_factor")},
	Decide: func(c *rule.Case) {
		const byDefault = 100e6
		have := c.Now()
		share, ok := c.Float(knob.PG("autovacuum_vacuum_scale_factor"))
		rows, seen := largestChanging(c)
		want, text := byDefault,
			say.Template("without a cap the scale factor lets hundreds of millions of rows of a very large table be "+
				"dead; 100 million is the default")
		if seen && ok && share*float64(rows) > deadMost {
			want, text = deadMost,
				"the largest table that changes has {rows} rows, and {share} of them is more than 5 million"
		}
		switch {
		case have >= 0 && have <= want && seen:
			c.Keep("at most {present} rows of a table are dead; the largest that changes has {rows}", "present",
				c.Shown(), "rows", rows)
		case have >= 0 && have <= want:
			c.Keep("at most {present} rows of a table are dead; with --deep it is decided by the largest table",
				"present", c.Shown())
		default:
			c.Set(want, text, "present", c.Shown(), "rows", rows, "share", share)
		}
	},
}
