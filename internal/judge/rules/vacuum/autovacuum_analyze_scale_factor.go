package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumAnalyzeScaleFactor = rule.Rule{
	Address: knob.PG("autovacuum_analyze_scale_factor"),
	Title:   "Fraction of changed rows that triggers autoanalyze",
	Why: "The newest rows are often queried most, but the planner does not know them until the next ANALYZE. ANALYZE " +
		"reads only a sample, so running it more often costs little.",
	Formula: "web and oltp: 0.02, mixed: 0.05, 1c: 0.005. dw and desktop: at most 0.1, the default. Lower values stay.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming", "postgrespro-1c"},
	Decide: func(c *rule.Case) {
		most := 0.1
		if s, ok := vacuumShares[c.Options.Profile]; ok {
			most = s.changed
		}
		atMost(c, most,
			"with {present}, a table of 100 million rows is analyzed after {rows} changes; {most} updates statistics "+
				"sooner, at the cost of a sample")
	},
}
