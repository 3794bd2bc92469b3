package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var IOWorkers = rule.Rule{
	Address: knob.PG("io_workers"),
	Title:   "Number of I/O worker processes",
	Why: "With io_method = worker, these processes perform the asynchronous reads of all sessions. Too few of them " +
		"make sessions on hosts with many CPUs wait for each other. Each worker is one more process with its own " +
		"memory.",
	Formula: "A quarter of the CPUs, from 3 (the default) to 32, and at most one per 512 MB of memory if that is " +
		"more than 3. Only with io_method = worker. Higher values stay while the memory allows them.",
	Sources: []string{"pg-config-resource", "pgtune"},
	From:    18, To: 18,
	Needs:  []knob.Address{knob.PG("io_method")},
	Decide: decideIOWorkers(sizing.IoWorkersDefault, "{workers} for {cpus}"),
}

// decideIOWorkers decides for the processes of io_method = worker: how many there are, or how many there may be.
func decideIOWorkers(byDefault int, text say.Template) func(*rule.Case) {
	return func(c *rule.Case) {
		if method, ok := c.Text(knob.PG("io_method")); !ok || method != "worker" {
			return
		}
		cpus, ok := c.CPUs()
		if !ok {
			return
		}
		sizing.Workers(c, sizing.IoWorkersFor(cpus, byDefault), byDefault, func(n int) say.Message {
			return say.N(n, "{n} I/O worker", "{n} I/O workers")
		}, text, cpus)
	}
}
