package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var MaintenanceIOConcurrency = rule.Rule{
	Address: knob.PG("maintenance_io_concurrency"),
	Title:   "Concurrent I/O of maintenance and recovery",
	Why: "VACUUM, ANALYZE and (since 15) recovery prefetch the pages that they need next. It works as " +
		"effective_io_concurrency does, for work that serves many sessions.",
	Formula: "With pgfettle probe: the depth at which random reads reach 80% of the best rate (13–17: twice that, at " +
		"most 200; 18: 16–64). Higher values stay. Without a probe, 13–17: 100 on nvme, ssd and san (50 and more " +
		"stays), and 10, the default, on hdd if it is above 32. 18: 16, the default, and 32 on nvme; higher values " +
		"stay.",
	Sources: []string{"pg-config-resource", "pg-release-notes"},
	Decide: func(c *rule.Case) {
		v, ok := rule.Need(c, c.Instance.Server.Version)
		if !ok {
			return
		}
		if depth, by, ok := measuredDepth(c); ok {
			decideMeasured(c, v.Major(), depth, by)
			return
		}
		s, why, ok := c.StorageOf(snapshot.DataPlace)
		if !ok {
			return
		}
		prefetchDepth{s, why, v.Major(), 50, 100, 32, 10}.decide(c)
	},
}
