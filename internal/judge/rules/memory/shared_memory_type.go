package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var SharedMemoryType = rule.Rule{
	Address: knob.PG("shared_memory_type"),
	Title:   "Main shared memory implementation",
	Why: "System V shared memory is limited by kernel.shmmax and kernel.shmall, can remain after a server crash, and " +
		"does not use huge_pages. It exists for old kernels.",
	Formula: "mmap.",
	Sources: []string{"pg-config-resource", "pg-kernel-resources"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have != "mmap" {
			c.Set("mmap", "with {present}, huge_pages has no effect and shared memory can remain after a crash; mmap "+
				"is the default",
				"present", have)
			return
		}
		c.Keep("mmap supports huge pages")
	},
}
