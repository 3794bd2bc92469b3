package configuration

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// defaultWorkers is max_worker_processes as every version ships it.
const defaultWorkers = 8

// WorkersDoNotNest does not judge how many are right; that is the plan's.
var WorkersDoNotNest = check.Check{
	ID:       "workers_do_not_nest",
	Area:     check.Config,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Limits of workers do not fit into each other",
	Why: "Every parallel worker is taken from max_parallel_workers, and that from max_worker_processes, which " +
		"logical replication and extensions " +
		"share. A limit above the one that holds it is never reached: queries are planned for workers that they do " +
		"not get, and run slower than " +
		"the plan without them. Below 8 worker processes, the default, nothing is saved; a standby with less than " +
		"its primary stops.",
	Do: "Let max_worker_processes be 8 or the number of processors, whichever is more, plus what extensions and " +
		"subscriptions need (restart; on " +
		"standbys first), max_parallel_workers not above it, max_parallel_workers_per_gather and " +
		"max_parallel_maintenance_workers not above " +
		"that.",
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
		var wrong []string
		if all < defaultWorkers {
			wrong = append(wrong, fmt.Sprintf("max_worker_processes = %d is below its default of %d", all,
				defaultWorkers))
		}
		if parallel > all {
			wrong = append(wrong, fmt.Sprintf("max_parallel_workers = %d is above max_worker_processes = %d",
				parallel, all))
		}
		for _, name := range []string{"max_parallel_workers_per_gather", "max_parallel_maintenance_workers"} {
			if n, ok := set.Int(name); ok && n > min(parallel, all) {
				wrong = append(wrong, fmt.Sprintf("%s = %d is above the %d that all queries share", name,
					n, min(parallel, all)))
			}
		}
		if len(wrong) > 0 {
			c.Found("{what}.", "what", strings.Join(wrong, "; "))
		}
	},
}
