package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var SharedMemoryType = rule.Rule{
	Address: knob.PG("shared_memory_type"),
	Title:   "how the main shared memory is had from the kernel",
	Why: "Memory of System V is bounded by kernel.shmmax and kernel.shmall, outlives a crashed server, and gets " +
		"no huge pages from huge_pages. It is there for kernels that are no longer in use.",
	Formula: "mmap.",
	Sources: []string{"pg-config-resource", "pg-kernel-resources"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have != "mmap" {
			c.Set("mmap", "{present} gets no huge pages and outlives a server that crashed; mmap is the default",
				"present", have)
			return
		}
		c.Keep("mmap can have huge pages")
	},
}
