package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

var maxParallelWorkersAddress = knob.PG("max_parallel_workers")

// workersNear is how far a number of workers may be from the wanted one and be
// as good: 8 for 7 or 10 processors. It is not the rule's Tolerance, as the
// engine would then keep a number that the next cap does not allow.
const workersNear = 0.25

var maxParallelWorkers = Rule{
	Address: knob.PG("max_parallel_workers"),
	Title:   "how many parallel workers all sessions may have together",
	Why: "Each parallel worker is a process that may hold work_mem as often as its session does. More of them than processors make nothing faster and " +
		"take memory from work_mem; more than max_worker_processes cannot be had.",
	Formula: "dw and mixed: as many as processors; web, oltp, 1c and desktop: half as many. At least 2, at most one for each 128 MB of memory, and not above max_worker_processes. A present value within a quarter of that stays.",
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	Needs:   []knob.Address{maxWorkerProcessesAddress},
	Decide: func(c *Case) {
		slots, known := c.Int(maxWorkerProcessesAddress)
		want, cpus, memory, ok := c.parallelWorkers()
		have := int(c.now())
		switch {
		case known && have > slots && (!ok || want >= slots):
			c.Set(slots, "{present} are more than max_worker_processes = {slots} can give", "present", c.shown(), "slots", slots)
		case !ok:
			return
		case known && want > slots:
			c.Set(slots, "max_worker_processes has {slots} slots, the most that can be had", "slots", slots)
		case near(c.canonical(have), c.canonical(want), workersNear) && (!known || have <= slots):
			c.Keep("{present} suit {cpus} in the {profile} profile"+memory, "present", c.shown(), "cpus", processors(cpus), "profile", string(c.Options.Profile))
		default:
			c.Set(want, "{workers} parallel workers for {cpus} in the {profile} profile"+memory, "workers", want, "cpus", processors(cpus), "profile", string(c.Options.Profile))
		}
	},
}
