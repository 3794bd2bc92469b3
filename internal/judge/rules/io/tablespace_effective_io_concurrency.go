package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TablespaceEffectiveIOConcurrency = rule.Rule{
	Address: "tablespace:*/effective_io_concurrency",
	Title:   "Concurrent I/O per session in a tablespace",
	Why: "The server has one effective_io_concurrency for all disks. Flash needs many concurrent requests for full " +
		"speed; on a rotating disk they only add seeks. This option overrides it for the tables and indexes in one " +
		"tablespace.",
	Formula: "13–17. With pgfettle probe on the device of the tablespace: twice the depth at which random reads " +
		"reach 80% of the best rate, 2–200, if the server's value is below it. Without a probe, if one of the two " +
		"is on " +
		"rotating disks and the other is not (tablespace, data directory): nvme, ssd and san: 200 (100 and more " +
		"stays). hdd: 2 (up to 10 stays). In 18 the server default suits both. Not on a standby: the option is " +
		"replicated from the primary.",
	Sources: []string{"pg-tablespaces", "pg-config-resource"},
	To:      17,
	Needs:   []knob.Address{knob.PG("effective_io_concurrency")},
	Effect:  knob.Now,
	Over:    tablespacesWith("effective_io_concurrency"),
	Decide: func(c *rule.Case) {
		tablespaceDepth(c, 100, 200, 10, 2)
	},
}
