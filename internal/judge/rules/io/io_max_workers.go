package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var IOMaxWorkers = rule.Rule{
	Address: knob.PG("io_max_workers"),
	Title:   "Maximum number of I/O worker processes",
	Why: "With io_method = worker, these processes perform the asynchronous reads of all sessions. Since 19, the " +
		"server starts them as reads wait, from io_min_workers up to this number, and ends those that stay idle. " +
		"Too low a maximum makes sessions on hosts with many CPUs wait for each other. Each worker is one more " +
		"process with its own memory.",
	Formula: "A quarter of the CPUs, from 8 (the default) to 32, and at most one per 512 MB of memory if that is " +
		"more than 8. Only with io_method = worker. Higher values stay while the memory allows them.",
	Sources: []string{"pg-config-resource", "pg-release-notes"},
	From:    19,
	Needs:   []knob.Address{knob.PG("io_method")},
	Decide:  decideIOWorkers(sizing.IoMaxWorkersDefault, "at most {workers} for {cpus}"),
}
