package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var Autovacuum = rule.Rule{
	Address: knob.PG("autovacuum"),
	Title:   "Autovacuum on or off",
	Why: "Without autovacuum, dead rows accumulate, statistics become outdated, and old transaction IDs are frozen " +
		"only by the emergency autovacuum before wraparound, at the worst time.",
	Formula: "on.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(knob.PG("autovacuum")); have == "on" {
			c.Keep("autovacuum is on")
			return
		}
		c.Set(true, "with off, tables bloat, statistics become outdated, and transaction IDs run out")
	},
}
