package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var MaxParallelWorkers = rule.Rule{
	Address: knob.PG("max_parallel_workers"),
	Title:   "how many parallel workers all sessions may have together",
	Why: "Each parallel worker is a process that may hold work_mem as often as its session does. More of them than " +
		"processors make nothing faster and " +
		"take memory from work_mem; more than max_worker_processes cannot be had.",
	Formula: "dw and mixed: as many as processors; web, oltp and desktop: half as many, at least 2. 1c, whose " +
		"queries run without them: 4 to 8, twice max_parallel_maintenance_workers as this host should have it, for " +
		"two index builds at once. At most one for each 512 MB of memory, and not above max_worker_processes. A " +
		"present value within a quarter of that stays, and so does one above it that the processors can run (as " +
		"many as there are) and the memory can feed.",
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
			c.Set(slots, "{present} are more than max_worker_processes = {slots} can give", "present", c.Shown(),
				"slots", slots)
		case !ok:
			return
		case known && p.Want > slots:
			c.Set(slots, "max_worker_processes has {slots} slots, the most that can be had", "slots", slots)
		case within && rule.Near(c.Canonical(have), c.Canonical(p.Want), sizing.WorkersNear):
			text := say.Template("{present} suit {cpus} in the {profile} profile")
			if have != p.Want {
				text = "{present} are close enough to the {workers} that suit {cpus} in the {profile} profile"
			}
			c.KeepAs(say.All(", ", say.M(text, append(pairs, "present", c.Shown())...), p.Clause))
		case within && have > p.Want && (have <= p.Most || rule.Near(c.Canonical(have), c.Canonical(p.Most),
			sizing.WorkersNear)):
			c.Keep(
				"{present} stay: {workers} would do in the {profile} profile, but {cpus} can run them and the "+
					"memory can feed them", append(pairs, "present", c.Shown())...)
		default:
			c.SetAs(p.Want, say.All(", ", say.M("{workers} for {cpus} in the {profile} profile", pairs...), p.Clause))
		}
	},
}
