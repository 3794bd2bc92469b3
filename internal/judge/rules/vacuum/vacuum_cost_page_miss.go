package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var VacuumCostPageMiss = rule.Rule{
	Address: knob.PG("vacuum_cost_page_miss"),
	Title:   "what a page that has to be read costs VACUUM of its limit",
	Why: "13 counts a page that is not in shared_buffers as 10, which was right for rotating disks. 14 counts " +
		"2: with the same limit VACUUM reads five times as fast, and what it dirties is bounded as before.",
	Formula: "2, the default from 14 on, where the data does not lie on rotating disks.",
	Sources: []string{"pg-config-resource", "pg-release-notes"},
	To:      13,
	Decide: func(c *rule.Case) {
		s, why, ok := c.StorageOf(snapshot.DataPlace)
		if !ok {
			return
		}
		if s == rule.HDD || c.Now() <= 2 {
			c.Keep("{present} suits {storage} ({why})", "present", c.Shown(), "storage", string(s), "why", why)
			return
		}
		c.Set(2,
			"the data lies on {storage} ({why}): at {present} for a page that is read VACUUM is five times slower "+
				"than it is on 14", "storage", string(s), "why", why, "present", c.Shown())
	},
}
