package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DynamicSharedMemoryType = rule.Rule{
	Address: knob.PG("dynamic_shared_memory_type"),
	Title:   "Dynamic shared memory implementation (parallel query)",
	Why: "mmap uses files in the data directory, which the kernel writes to disk. posix uses /dev/shm. An " +
		"administrator may have changed it because /dev/shm is small, as in containers.",
	Formula: "posix if it is mmap, outside containers. Other values stay.",
	Sources: []string{"pg-config-resource"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		virt, ok := c.Snapshot.Host.Virt.Get()
		switch {
		case have != "mmap":
			c.Keep("{present} causes no disk I/O", "present", have)
		case !ok || virt.Container != "":
			c.Keep("in a container, /dev/shm may be too small for posix")
		default:
			c.Set("posix",
				"with mmap, the data of parallel queries is written to files in the data directory; posix, the "+
					"default, uses memory")
		}
	},
}
