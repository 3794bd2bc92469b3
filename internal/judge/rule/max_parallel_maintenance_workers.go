package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

var maxParallelMaintenanceWorkers = Rule{
	Address: knob.PG("max_parallel_maintenance_workers"),
	Title:   "how many parallel workers one CREATE INDEX or VACUUM may have",
	Why: "Building a B-tree (from 17 on a BRIN, from 18 on a GIN index as well) and vacuuming several indexes use workers. They share one maintenance_work_mem, " +
		"so memory does not grow with them, but each wants at least 32 MB of it.",
	Formula: "Half of the processors, 2 (the default) to 4, and not above max_parallel_workers; more stays within that.",
	Sources: []string{"pg-config-resource"},
	Needs:   []knob.Address{maxParallelWorkersAddress},
	Decide: func(c *Case) {
		have := int(c.now())
		pool, pooled := c.Int(maxParallelWorkersAddress)
		if pooled && have > pool {
			c.Set(pool, "{present} are more than max_parallel_workers = {pool} can give", "present", c.shown(), "pool", pool)
			return
		}
		cpus, ok := c.CPUs()
		if !ok {
			return
		}
		want := maintenanceWorkers(cpus)
		if pooled {
			want = min(want, pool)
		}
		if have >= want {
			c.Keep("{present} for an index build are enough for {cpus}", "present", count{have, "worker"}, "cpus", processors(cpus))
			return
		}
		c.Set(want, "{workers} shorten index builds on {cpus}", "cpus", processors(cpus), "workers", count{want, "worker"})
	},
}

// maintenanceWorkers returns how many workers one index build should have on so
// many processors: half of them, at least the server's default of 2 and at most
// 4, as reading and merging stay with one process.
func maintenanceWorkers(cpus int) int { return min(max(cpus/2, 2), 4) }
