package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumVacuumInsertScaleFactor = rule.Rule{
	Address: knob.PG("autovacuum_vacuum_insert_scale_factor"),
	Title:   "Fraction of inserted rows that triggers a vacuum",
	Why: "Vacuum of inserted rows sets the visibility map, which index-only scans need, and freezes rows while they " +
		"are still in memory. Fact tables of a data warehouse only grow, and 20% of them is much to read at once.",
	Formula: "dw: 0.1. Other profiles: at most 0.2, the default. Lower values stay.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Decide: func(c *rule.Case) {
		most := 0.2
		if c.Options.Profile == rule.DW {
			most = 0.1
		}
		atMost(c, most,
			"with {present}, an insert-only table of 100 million rows is vacuumed after {rows} inserts; with {most}, "+
				"the work comes in smaller parts")
	},
}
