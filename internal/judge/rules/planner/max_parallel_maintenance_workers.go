package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var MaxParallelMaintenanceWorkers = rule.Rule{
	Address: knob.PG("max_parallel_maintenance_workers"),
	Title:   "Parallel workers per maintenance command",
	Why: "CREATE INDEX (B-tree; BRIN since 17, GIN since 18) and VACUUM of several indexes use parallel workers. The " +
		"workers of a command share one maintenance_work_mem, so memory does not grow with them. For an index build, " +
		"each needs at least 32 MB of it.",
	Formula: "Half of the CPUs, from 2 (the default) to 4, and at most max_parallel_workers. Higher values stay " +
		"within that limit.",
	Sources: []string{"pg-config-resource"},
	Needs:   []knob.Address{sizing.MaxParallelWorkersAddress},
	Decide: func(c *rule.Case) {
		have := int(c.Now())
		pool, pooled := c.Int(sizing.MaxParallelWorkersAddress)
		if pooled && have > pool {
			c.Set(pool, "{present} exceeds max_parallel_workers = {pool}", "present", c.Shown(),
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
			c.Keep("{present} per index build are enough for {cpus}", "present", say.N(have, "{n} worker",
				"{n} workers"), "cpus",
				rule.Processors(cpus))
			return
		}
		c.Set(want, "{workers} per index build, for {cpus}", "cpus", rule.Processors(cpus), "workers",
			say.N(want, "{n} worker", "{n} workers"))
	},
}
