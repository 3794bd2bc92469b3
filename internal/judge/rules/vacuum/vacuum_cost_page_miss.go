package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var VacuumCostPageMiss = rule.Rule{
	Address: knob.PG("vacuum_cost_page_miss"),
	Title:   "Vacuum cost of a page not in shared_buffers",
	Why: "13 counts a page read as 10, which suited rotating disks. 14 counts 2: with the same cost limit, VACUUM " +
		"reads five times as fast. Dirtied pages are limited as before.",
	Formula: "2, the default since 14, if the data is not on hdd.",
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
			"the data is on {storage} ({why}): at {present} per page read, VACUUM reads five times slower than on 14",
			"storage", string(s), "why", why, "present", c.Shown())
	},
}
