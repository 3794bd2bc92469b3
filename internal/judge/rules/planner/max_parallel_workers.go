package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var MaxParallelWorkers = rule.Rule{
	Address: knob.PG("max_parallel_workers"),
	Title:   "Parallel workers, total",
	Why: "Each parallel worker is a process that can use work_mem as often as its session. More workers than CPUs do " +
		"not speed up anything and take memory from work_mem. max_worker_processes limits their number.",
	Formula: "dw and mixed: one per CPU. web, oltp and desktop: half of that, at least 2. 1c, whose queries run " +
		"without workers: 4 to 8, for two parallel index builds. At most one per 512 MB of memory, and at most " +
		"max_worker_processes. Values within 25% stay, and higher values stay up to the number of CPUs while memory " +
		"allows them.",
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	Needs:   []knob.Address{sizing.MaxWorkerProcessesAddress},
	Decide: func(c *rule.Case) {
		slots, known := c.Int(sizing.MaxWorkerProcessesAddress)
		p, ok := sizing.ParallelWorkers(c)
		have := int(c.Now())
		within := !known || have <= slots
		pairs := []any{"workers", say.N(p.Want, "{n} parallel worker", "{n} parallel workers"), "cpus",
			rule.Processors(p.Cpus), "profile",
			string(c.Options.Profile)}
		switch {
		case !within && (!ok || p.Want >= slots):
			c.Set(slots, "{present} exceeds max_worker_processes = {slots}", "present", c.Shown(),
				"slots", slots)
		case !ok:
			return
		case known && p.Want > slots:
			c.Set(slots, "limited by max_worker_processes = {slots}", "slots", slots)
		case within && rule.Near(c.Canonical(have), c.Canonical(p.Want), sizing.WorkersNear):
			text := say.Template("{present} suits {cpus} in the {profile} profile")
			if have != p.Want {
				text = "kept: {present} is within 25% of {workers} for {cpus} in the {profile} profile"
			}
			c.KeepAs(say.All(", ", say.M(text, append(pairs, "present", c.Shown())...), p.Clause))
		case within && have > p.Want && (have <= p.Most || rule.Near(c.Canonical(have), c.Canonical(p.Most),
			sizing.WorkersNear)):
			c.Keep(
				"{present} stays: {workers} would be enough in the {profile} profile, but {cpus} can run them and "+
					"memory suffices", append(pairs, "present", c.Shown())...)
		default:
			c.SetAs(p.Want, say.All(", ", say.M("{workers} for {cpus} in the {profile} profile", pairs...), p.Clause))
		}
	},
}
