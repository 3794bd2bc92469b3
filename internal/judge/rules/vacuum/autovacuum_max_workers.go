package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var AutovacuumMaxWorkers = rule.Rule{
	Address: knob.PG("autovacuum_max_workers"),
	Title:   "how many tables may be vacuumed at once",
	Why: "One large table can hold a worker for hours, and the others wait. Each worker may take " +
		"autovacuum_work_mem, and all of them share one cost limit: " +
		"more workers without a higher limit are slower workers.",
	Formula: "A quarter of the processors, 3 (the default) to 5; 1c 4 to 8, as its vendor advises a quarter and at " +
		"least 4; at most one for each 512 MB of memory where that is more than 3. From 18 on not above " +
		"autovacuum_worker_slots. More stays while the memory can feed them.",
	Sources: []string{"pg-config-autovacuum", "its-1c", "pgtune"},
	Needs:   []knob.Address{knob.PG("autovacuum_worker_slots")},
	Decide: func(c *rule.Case) {
		slots, bounded := c.Int(knob.PG("autovacuum_worker_slots")) // 18+
		have := int(c.Now())
		if bounded && have > slots {
			c.Set(slots, "{present} are more than autovacuum_worker_slots = {slots} can give", "present", c.Shown(),
				"slots", slots)
			return
		}
		if c.Options.Profile == rule.Desktop {
			c.Keep("{present} workers are enough for a desktop", "present", c.Shown())
			return
		}
		cpus, ok := c.CPUs()
		if !ok {
			return
		}
		want := sizing.VacuumsFor(c, cpus)
		sizing.Workers(c, want, sizing.AutovacuumDefault, func(n int) say.Message {
			return say.N(n, "{n} autovacuum worker", "{n} autovacuum workers")
		},
			"{workers} for {cpus}, so that a large table does not hold up the others", cpus)
	},
}
