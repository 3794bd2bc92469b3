package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// workerDefault is the server's own default of max_worker_processes; fewer
// starve parallel queries, logical replication and extensions.
const workerDefault = 8

var MaxWorkerProcesses = rule.Rule{
	Address: knob.PG("max_worker_processes"),
	Title:   "Background worker processes, total",
	Why: "Parallel workers, logical replication and extensions take their processes from this pool. An unused slot " +
		"costs almost nothing. If none is free, a query silently runs without its workers. On a standby it must not " +
		"be lower than on the primary.",
	Formula: "The parallel workers of this host + 4 for replication and extensions, at least 8. Never lowered.",
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	// 16 or 20 slots for 16 CPUs is not worth a restart.
	Tolerance: sizing.SlotsNear,
	Decide: func(c *rule.Case) {
		have := int(c.Now())
		p, ok := sizing.ParallelWorkers(c)
		want := workerDefault
		if ok {
			want = max(want, p.Want+sizing.WorkerOthers)
		}
		switch {
		case have >= want && ok:
			c.Keep("{present} is enough for {cpus}", "present", c.Shown(), "cpus", rule.Processors(p.Cpus))
		case have >= want:
			return
		default:
			c.WarnStandbys(want)
			if !ok {
				c.Set(want,
					"{present} is below 8, the default: parallel queries, replication and extensions share these slots",
					"present", c.Shown())
				return
			}
			c.SetAs(want, say.All(", ", say.M("{parallel} for {cpus}", "parallel",
				say.N(p.Want, "{n} parallel worker", "{n} parallel workers"), "cpus", rule.Processors(p.Cpus)),
				p.Clause,
				say.M("plus 4 for replication and extensions, at least 8")))
		}
	},
}
