package configuration

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// defaultWorkers is max_worker_processes as every version ships it.
const defaultWorkers = 8

// WorkersDoNotNest does not judge the right number; that is part of the plan.
var WorkersDoNotNest = check.Check{
	ID:       "workers_do_not_nest",
	Area:     check.Config,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Worker limits are inconsistent or too low",
	Why: "Parallel workers come from max_parallel_workers, a share of max_worker_processes, from which logical " +
		"replication and extensions also draw. A limit above the one that contains it is never reached: queries are " +
		"planned for workers that they do not get, and run slower than planned. Lowering max_worker_processes below " +
		"8 (the default) saves nothing. A standby with fewer worker processes than its primary pauses or stops replay.",
	Do: "Set max_worker_processes to 8 or to the number of CPUs, whichever is higher, plus what extensions and " +
		"subscriptions need (restart; standbys first). Set max_parallel_workers to at most that value " +
		"(reload). Set max_parallel_workers_per_gather and max_parallel_maintenance_workers to at most " +
		"max_parallel_workers (reload).",
	Sources: []string{"pg-config-resource", "pg-config-replication", "pgtune"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		all, ok1 := set.Int("max_worker_processes")
		parallel, ok2 := set.Int("max_parallel_workers")
		if !ok1 || !ok2 {
			return
		}
		wrong := say.List{Sep: "; "}
		add := func(m say.Message) { wrong.Items = append(wrong.Items, m) }
		if all < defaultWorkers {
			add(say.M("max_worker_processes = {n} is below the default of {default}", "n", all, "default",
				defaultWorkers))
		}
		if parallel > all {
			add(say.M("max_parallel_workers = {n} is above max_worker_processes = {most}", "n", parallel, "most", all))
		}
		for _, name := range []string{"max_parallel_workers_per_gather", "max_parallel_maintenance_workers"} {
			if parallel == 0 && set[name].Source == "default" { // parallel queries are turned off, as a whole
				continue
			}
			if n, ok := set.Int(name); ok && n > min(parallel, all) {
				add(say.M("{name} = {n} is above the {most} workers that all queries share", "name", name, "n", n,
					"most",
					min(parallel, all)))
			}
		}
		if len(wrong.Items) > 0 {
			c.Found("{what}.", "what", wrong)
		}
	},
}
