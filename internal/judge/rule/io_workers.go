package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

var ioWorkers = Rule{
	Address: knob.PG("io_workers"),
	Title:   "how many processes do reads for all sessions",
	Why: "With io_method = worker, reads ahead are handed to these processes. With too few of them sessions on a machine of many processors wait for each other's reads; " +
		"each is one more process with memory of its own.",
	Formula: "A quarter of the processors, 3 (the default) to 32, and one for each 128 MB of memory; only with io_method = worker. More stays.",
	Sources: []string{"pg-config-resource", "pgtune"},
	From:    18, To: 18,
	Decide: func(c *Case) {
		if method, ok := c.Text(knob.PG("io_method")); !ok || method != "worker" {
			return
		}
		cpus, ok := c.CPUs()
		if !ok {
			return
		}
		want, memory := c.affordable(min(max(cpus/4, 3), 32), 3)
		if have := int(c.now()); have >= want {
			c.Keep("{present} I/O workers are enough for {cpus}", "present", c.shown(), "cpus", processors(cpus))
			return
		}
		c.Set(want, "{workers} I/O workers for {cpus}"+memory, "workers", want, "cpus", processors(cpus))
	},
}
