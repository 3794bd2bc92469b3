package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

// autovacuumDefault is the server's own default: it is not lowered where memory
// is short.
const autovacuumDefault = 3

var autovacuumMaxWorkers = Rule{
	Address: knob.PG("autovacuum_max_workers"),
	Title:   "how many tables may be vacuumed at once",
	Why: "One large table can hold a worker for hours, and the others wait. Each worker may take autovacuum_work_mem, and all of them share one cost limit: " +
		"more workers without a higher limit are slower workers.",
	Formula: "A quarter of the processors, 3 (the default) to 5; 1c 4 to 8, as its vendor advises a quarter and at least 4; at most one for each 512 MB of memory where that is more than 3. From 18 on not above autovacuum_worker_slots. More stays while the memory can feed them.",
	Sources: []string{"pg-config-autovacuum", "its-1c", "pgtune"},
	Needs:   []knob.Address{knob.PG("autovacuum_worker_slots")},
	Decide: func(c *Case) {
		slots, bounded := c.Int(knob.PG("autovacuum_worker_slots")) // 18+
		have := int(c.now())
		if bounded && have > slots {
			c.Set(slots, "{present} are more than autovacuum_worker_slots = {slots} can give", "present", c.shown(), "slots", slots)
			return
		}
		if c.Options.Profile == Desktop {
			c.Keep("{present} workers are enough for a desktop", "present", c.shown())
			return
		}
		cpus, ok := c.CPUs()
		if !ok {
			return
		}
		want := c.vacuumsFor(cpus)
		c.workers(want, autovacuumDefault, "autovacuum worker", "{workers} for {cpus}, so that a large table does not hold up the others", cpus)
	},
}

// vacuumsFor returns how many autovacuum workers suit so many processors, however
// much memory there is.
func (c *Case) vacuumsFor(cpus int) int {
	want := min(max(cpus/4, autovacuumDefault), 5)
	if c.Options.Profile == OneC {
		want = min(max(cpus/4, 4), 8)
	}
	if slots, bounded := c.Int(knob.PG("autovacuum_worker_slots")); bounded { // 18+
		want = min(want, slots)
	}
	return want
}
