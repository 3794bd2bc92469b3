package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumAnalyzeScaleFactor = rule.Rule{
	Address: knob.PG("autovacuum_analyze_scale_factor"),
	Title:   "the share of changed rows from which on a table is analyzed",
	Why: "The newest rows are those that are asked for most, and the planner does not know of them until the " +
		"next ANALYZE. ANALYZE reads a sample, so doing it more often costs little.",
	Formula: "web and oltp 0.02, mixed 0.05, 1c 0.005; dw and desktop at most the default of 0.1. Less stays.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming", "postgrespro-1c"},
	Decide: func(c *rule.Case) {
		most := 0.1
		if s, ok := vacuumShares[c.Options.Profile]; ok {
			most = s.changed
		}
		atMost(c, most,
			"with {present} the planner learns of changes in a table of 100 million rows after {rows} of them; at "+
				"{most} it learns sooner for the price of a sample")
	},
}
