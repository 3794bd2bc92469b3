package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var MaxParallelMaintenanceWorkers = rule.Rule{
	Address: knob.PG("max_parallel_maintenance_workers"),
	Title:   "how many parallel workers one CREATE INDEX or VACUUM may have",
	Why: "Building a B-tree (from 17 on a BRIN, from 18 on a GIN index as well) and vacuuming several indexes use " +
		"workers. They share one maintenance_work_mem, " +
		"so memory does not grow with them, but each wants at least 32 MB of it.",
	Formula: "Half of the processors, 2 (the default) to 4, and not above max_parallel_workers; more stays within " +
		"that.",
	Sources: []string{"pg-config-resource"},
	Needs:   []knob.Address{sizing.MaxParallelWorkersAddress},
	Decide: func(c *rule.Case) {
		have := int(c.Now())
		pool, pooled := c.Int(sizing.MaxParallelWorkersAddress)
		if pooled && have > pool {
			c.Set(pool, "{present} are more than max_parallel_workers = {pool} can give", "present", c.Shown(),
				"pool", pool)
			return
		}
		cpus, ok := c.CPUs()
		if !ok {
			return
		}
		want := sizing.MaintenanceWorkers(cpus)
		if pooled {
			want = min(want, pool)
		}
		if have >= want {
			c.Keep("{present} for an index build are enough for {cpus}", "present", say.N(have, "{n} worker",
				"{n} workers"), "cpus",
				rule.Processors(cpus))
			return
		}
		c.Set(want, "{workers} shorten index builds on {cpus}", "cpus", rule.Processors(cpus), "workers",
			say.N(want, "{n} worker", "{n} workers"))
	},
}
