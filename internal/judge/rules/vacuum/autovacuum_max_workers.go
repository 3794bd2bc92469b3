package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var AutovacuumMaxWorkers = rule.Rule{
	Address: knob.PG("autovacuum_max_workers"),
	Title:   "Maximum autovacuum workers",
	Why: "One large table can occupy a worker for hours while other tables wait. Each worker can use " +
		"autovacuum_work_mem, and all workers share one cost limit: more workers without a higher limit are slower " +
		"workers.",
	Formula: "A quarter of the CPUs, from 3 (the default) to 5. 1c: from 4 to 8, because 1C recommends a quarter and " +
		"at least 4. At most one per 512 MB of memory, if that is more than 3. Since 18, at most " +
		"autovacuum_worker_slots. Higher values stay while the memory allows them.",
	Sources: []string{"pg-config-autovacuum", "its-1c", "pgtune"},
	Needs:   []knob.Address{knob.PG("autovacuum_worker_slots")},
	Decide: func(c *rule.Case) {
		slots, bounded := c.Int(knob.PG("autovacuum_worker_slots")) // 18+
		have := int(c.Now())
		if bounded && have > slots {
			c.Set(slots, "{present} exceeds autovacuum_worker_slots = {slots}", "present", c.Shown(),
				"slots", slots)
			return
		}
		if c.Options.Profile == rule.Desktop {
			c.Keep("{present} is enough for a desktop", "present", c.Shown())
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
			"{workers} for {cpus}, so that a large table does not delay the others", cpus)
	},
}
