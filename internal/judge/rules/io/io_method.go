package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var IOMethod = rule.Rule{
	Address: knob.PG("io_method"),
	Title:   "who carries out reads ahead",
	Why: "18 can have reads under way while a query goes on: by worker processes, or by the kernel's io_uring " +
		"where the build has it and neither the kernel nor a container's filter forbids it. sync does without and " +
		"is as fast as 17 was.",
	Formula: "worker where it is sync; worker and io_uring stay. The desktop profile keeps what it has.",
	Sources: []string{"pg-config-resource", "pg-source-aio"},
	From:    18,
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(knob.PG("io_method"))
		switch {
		case have != "sync":
			c.Keep("reads are carried out by {present} while the query goes on", "present", have)
		default:
			c.Set("worker",
				"sync makes each read wait for the one before it, as before 18; worker is the default and works on "+
					"every kernel")
		}
	},
}
