package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var IOMethod = rule.Rule{
	Address: knob.PG("io_method"),
	Title:   "Asynchronous I/O method (worker, io_uring, sync)",
	Why: "PostgreSQL 18 can read ahead while a query runs, with I/O worker processes (worker) or with io_uring. The " +
		"latter requires a build with liburing, and the kernel or a container's seccomp filter may block it. With " +
		"sync, reads are synchronous, as in 17.",
	Formula: "worker if it is sync. worker and io_uring stay. The desktop profile keeps its value.",
	Sources: []string{"pg-config-resource", "pg-source-aio"},
	From:    18,
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(knob.PG("io_method"))
		switch {
		case have != "sync":
			c.Keep("{present} reads ahead while the query runs", "present", have)
		default:
			c.Set("worker",
				"with sync, each read waits for the one before it, as before 18; worker is the default and works on "+
					"every kernel")
		}
	},
}
