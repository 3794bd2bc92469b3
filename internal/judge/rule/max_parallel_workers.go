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
	Formula: "dw and mixed: as many as processors; web, oltp and desktop: half as many, at least 2. 1c, whose queries run without them: 4 to 8, twice max_parallel_maintenance_workers as this host should have it, for two index builds at once. At most one for each 512 MB of memory, and not above max_worker_processes. A present value within a quarter of that stays, and so does one above it that the processors can run (as many as there are) and the memory can feed.",
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	Needs:   []knob.Address{maxWorkerProcessesAddress},
	Decide: func(c *Case) {
		slots, known := c.Int(maxWorkerProcessesAddress)
		p, ok := c.parallelWorkers()
		have := int(c.now())
		within := !known || have <= slots
		pairs := []any{"workers", count{p.want, "parallel worker"}, "cpus", processors(p.cpus), "profile", string(c.Options.Profile)}
		switch {
		case !within && (!ok || p.want >= slots):
			c.Set(slots, "{present} are more than max_worker_processes = {slots} can give", "present", c.shown(), "slots", slots)
		case !ok:
			return
		case known && p.want > slots:
			c.Set(slots, "max_worker_processes has {slots} slots, the most that can be had", "slots", slots)
		case within && near(c.canonical(have), c.canonical(p.want), workersNear):
			text := "{present} suit {cpus} in the {profile} profile"
			if have != p.want {
				text = "{present} are close enough to the {workers} that suit {cpus} in the {profile} profile"
			}
			c.Keep(text+p.clause, append(pairs, "present", c.shown())...)
		case within && have > p.want && (have <= p.most || near(c.canonical(have), c.canonical(p.most), workersNear)):
			c.Keep("{present} stay: {workers} would do in the {profile} profile, but {cpus} can run them and the memory can feed them", append(pairs, "present", c.shown())...)
		default:
			c.Set(p.want, "{workers} for {cpus} in the {profile} profile"+p.clause, pairs...)
		}
	},
}
