package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

var maintenanceIOConcurrency = Rule{
	Address: knob.PG("maintenance_io_concurrency"),
	Title:   "how many reads maintenance and recovery may have under way at once",
	Why:     "VACUUM, ANALYZE and, from 15 on, recovery ask ahead for the pages that they will need. It is the same as effective_io_concurrency, for work that serves many sessions.",
	Formula: "13–17: 100 on nvme, ssd and storage networks (from 50 on it stays), the default of 10 on rotating disks. 18: the default of 16, on nvme 32; more stays.",
	Sources: []string{"pg-config-resource", "pg-release-notes"},
	Decide: func(c *Case) {
		s, why, ok := c.StorageOf(snapshot.DataPlace)
		v, ok2 := Need(c, c.Instance.Server.Version)
		if !ok || !ok2 {
			return
		}
		prefetchDepth{s, why, v.Major(), 50, 100, 32, 10}.decide(c)
	},
}
