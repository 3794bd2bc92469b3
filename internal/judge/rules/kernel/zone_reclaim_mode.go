package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var ZoneReclaimMode = rule.Rule{
	Address: knob.Sysctl("vm.zone_reclaim_mode"),
	Title:   "NUMA zone reclaim",
	Why: "With any value but 0, a full NUMA node drops page cache although other nodes have free memory, and " +
		"processes spend time in reclaim. Reading a page from another node is about 100 times faster than reading it " +
		"from disk. Kernels since 3.16 never enable it automatically.",
	Formula: "0.",
	Sources: []string{"linux-vm", "dalibo-j1"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		have, ok := c.Sysctl()
		if !ok {
			return
		}
		if have == 0 {
			c.Keep("with 0, memory of another node is used before page cache is dropped")
			return
		}
		c.Set("0",
			"with {present}, a full NUMA node drops page cache while other nodes have free memory; 0 is the kernel "+
				"default", "present", have)
	},
}
