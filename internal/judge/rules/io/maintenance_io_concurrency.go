package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var MaintenanceIOConcurrency = rule.Rule{
	Address: knob.PG("maintenance_io_concurrency"),
	Title:   "how many reads maintenance and recovery may have under way at once",
	Why: "VACUUM, ANALYZE and, from 15 on, recovery ask ahead for the pages that they will need. It is the same " +
		"as effective_io_concurrency, for work that serves many sessions.",
	Formula: "With pgfettle probe: the depth at which random reads reach four fifths of the best rate, before 18 " +
		"twice that up to 200, from 18 on 16 to 64; more stays. Else 13–17: 100 on nvme, ssd and storage networks " +
		"(from 50 on it stays), the default of 10 on rotating disks. 18: the default of 16, on nvme 32; more stays.",
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
