package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumVacuumInsertScaleFactor = rule.Rule{
	Address: knob.PG("autovacuum_vacuum_insert_scale_factor"),
	Title:   "the share of new rows from which on a table that only grows is vacuumed",
	Why: "Rows that were only inserted are vacuumed to mark their pages as visible to all, which index-only scans " +
		"need, and to freeze them while they are still in memory. " +
		"A warehouse's fact tables only grow, and a fifth of them is a lot to read again at once.",
	Formula: "dw 0.1; others at most the default of 0.2. Less stays.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Decide: func(c *rule.Case) {
		most := 0.2
		if c.Options.Profile == rule.DW {
			most = 0.1
		}
		atMost(c, most,
			"with {present} a table of 100 million rows that only grows is vacuumed after {rows} new ones; at "+
				"{most} the work comes in smaller pieces")
	},
}
