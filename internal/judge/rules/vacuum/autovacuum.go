package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var Autovacuum = rule.Rule{
	Address: knob.PG("autovacuum"),
	Title:   "whether tables are vacuumed and analyzed by themselves",
	Why: "Without it dead rows pile up, statistics grow old, and old transaction ids are frozen only by the " +
		"emergency vacuum before a wraparound, at the worst time.",
	Formula: "on.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(knob.PG("autovacuum")); have == "on" {
			c.Keep("tables are vacuumed and analyzed by themselves")
			return
		}
		c.Set(true, "off: tables bloat, statistics grow old, and transaction ids run out")
	},
}
