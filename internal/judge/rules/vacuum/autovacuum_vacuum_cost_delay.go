package vacuum

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumVacuumCostDelay = rule.Rule{
	Address: knob.PG("autovacuum_vacuum_cost_delay"),
	Title:   "Autovacuum cost delay (pause)",
	Why: "The default was 20 ms before 12. Configurations carried over from then make autovacuum ten times slower " +
		"than the same cost limit allows today.",
	Formula: "2 ms, the default, if it is longer and the data is not on hdd. Shorter delays stay.",
	Sources: []string{"pg-config-autovacuum", "pg-release-notes"},
	Decide: func(c *rule.Case) {
		s, why, ok := c.StorageOf(snapshot.DataPlace)
		if !ok {
			return
		}
		have := c.Now()
		if have < 0 {
			// -1: vacuum_cost_delay, which is 0 unless manual VACUUM is meant to pause.
			have, ok = c.Float(knob.PG("vacuum_cost_delay"))
			if !ok {
				return
			}
		}
		if have <= 2 || s == rule.HDD {
			c.Keep("a delay of {present} ms suits {storage} ({why})", "present", have, "storage", string(s), "why", why)
			return
		}
		c.Set(2*time.Millisecond,
			"the data is on {storage} ({why}); a delay of {present} ms was chosen for rotating disks, 2 ms is the "+
				"default", "storage", string(s), "why", why, "present", have)
	},
}
