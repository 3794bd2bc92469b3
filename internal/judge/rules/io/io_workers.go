package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var IOWorkers = rule.Rule{
	Address: knob.PG("io_workers"),
	Title:   "how many processes do reads for all sessions",
	Why: "With io_method = worker, reads ahead are handed to these processes. With too few of them sessions on a " +
		"machine of many processors wait for each other's reads; " +
		"each is one more process with memory of its own.",
	Formula: "A quarter of the processors, 3 (the default) to 32, at most one for each 512 MB of memory where that " +
		"is more than 3; only with io_method = worker. More stays while the memory can feed them.",
	Sources: []string{"pg-config-resource", "pgtune"},
	From:    18, To: 18,
	Needs: []knob.Address{knob.PG("io_method")},
	Decide: func(c *rule.Case) {
		if method, ok := c.Text(knob.PG("io_method")); !ok || method != "worker" {
			return
		}
		cpus, ok := c.CPUs()
		if !ok {
			return
		}
		sizing.Workers(c, sizing.IoWorkersFor(cpus), sizing.IoWorkersDefault, func(n int) say.Message {
			return say.N(n, "{n} I/O worker", "{n} I/O workers")
		},
			"{workers} for {cpus}", cpus)
	},
}
