package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumVacuumInsertThreshold = rule.Rule{
	Address: knob.PG("autovacuum_vacuum_insert_threshold"),
	Title:   "Minimum inserted rows that trigger a vacuum",
	Why: "-1 disables the vacuum of insert-only tables, as before 13. Their pages are then not marked all-visible, " +
		"and eventually all of them must be frozen at once.",
	Formula: "1000, the default, if it is -1. Other values stay.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Decide: func(c *rule.Case) {
		if c.Now() >= 0 {
			c.Keep("insert-only tables are vacuumed too")
			return
		}
		c.Set(1000, "with -1, insert-only tables are not vacuumed until all rows must be frozen at once")
	},
}
