package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumVacuumInsertThreshold = rule.Rule{
	Address: knob.PG("autovacuum_vacuum_insert_threshold"),
	Title:   "from how many new rows on a table that only grows is vacuumed, at least",
	Why: "-1 switches the vacuum of tables that only grow off, as before 13: nothing marks their pages as " +
		"visible to all, and one day all of them have to be frozen at once.",
	Formula: "1000, the default, where it is -1; all else stays.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Decide: func(c *rule.Case) {
		if c.Now() >= 0 {
			c.Keep("tables that only grow are vacuumed too")
			return
		}
		c.Set(1000, "-1: tables that only grow are never vacuumed until all of their rows must be frozen at once")
	},
}
