package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumWorkerSlots = rule.Rule{
	Address: knob.PG("autovacuum_worker_slots"),
	Title:   "how many autovacuum workers there can be without a restart",
	Why: "From 18 on autovacuum_max_workers is changed by a reload, but only up to this. A slot is a few " +
		"kilobytes of shared memory; a server without a spare one needs a restart on the day that autovacuum lags.",
	Formula: "At least 8, which is the most that any profile asks for; less goes back to the default of 16. More " +
		"stays.",
	Sources: []string{"pg-config-autovacuum"},
	From:    18,
	Decide: func(c *rule.Case) {
		const most, byDefault = 8, 16
		if have := c.Now(); have >= most {
			c.Keep("{present} slots leave room for more workers", "present", c.Shown())
			return
		}
		c.Set(byDefault, "{present} slots leave no room for more workers when autovacuum lags; 16 is the default",
			"present", c.Shown())
	},
}
