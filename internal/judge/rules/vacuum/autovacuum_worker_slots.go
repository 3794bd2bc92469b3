package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumWorkerSlots = rule.Rule{
	Address: knob.PG("autovacuum_worker_slots"),
	Title:   "Autovacuum worker slots reserved at startup",
	Why: "Since 18, autovacuum_max_workers can be changed by a reload, but only up to this number. A slot takes a " +
		"few kilobytes of shared memory. Without spare slots, more workers need a restart.",
	Formula: "16, the default, if it is below 8, the highest number that any profile uses. Higher values stay.",
	Sources: []string{"pg-config-autovacuum"},
	From:    18,
	Decide: func(c *rule.Case) {
		const most, byDefault = 8, 16
		if have := c.Now(); have >= most {
			c.Keep("{present} allows more workers without a restart", "present", c.Shown())
			return
		}
		c.Set(byDefault, "{present} allows no more workers without a restart; 16 is the default",
			"present", c.Shown())
	},
}
