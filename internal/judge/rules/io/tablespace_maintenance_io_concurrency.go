package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TablespaceMaintenanceIOConcurrency = rule.Rule{
	Address: "tablespace:*/maintenance_io_concurrency",
	Title:   "how many reads maintenance may have under way at once in a tablespace",
	Why: "maintenance_io_concurrency of the server is one number for all disks. Flash needs many requests at once " +
		"to show its speed, and a rotating disk only moves its heads more for them. " +
		"An option of the tablespace holds for the tables and indexes in it alone.",
	Formula: "13–17, where the disks of the tablespace and of the data directory are known and one of them rotates " +
		"and the other does not: 100 on nvme, ssd and storage networks, 10 on rotating disks. " +
		"A value of its own from 50 on stays on the former, and up to 32 on the latter. From 18 on the server's " +
		"default serves both. Not on a standby, which has it from its primary.",
	Sources: []string{"pg-tablespaces", "pg-config-resource"},
	To:      17,
	Needs:   []knob.Address{knob.PG("maintenance_io_concurrency")},
	Effect:  knob.Now,
	Over:    tablespacesWith("maintenance_io_concurrency"),
	Decide: func(c *rule.Case) {
		tablespaceDepth(c, 50, 100, 32, 10)
	},
}
