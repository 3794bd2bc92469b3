package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DynamicSharedMemoryType = rule.Rule{
	Address: knob.PG("dynamic_shared_memory_type"),
	Title:   "where parallel queries keep what they share",
	Why: "With mmap it lies in files of the data directory, which the kernel writes to the disk. posix keeps it " +
		"in /dev/shm. Somebody may have left posix because /dev/shm is small, as it is in a container.",
	Formula: "posix where it is mmap, outside of containers; all else stays.",
	Sources: []string{"pg-config-resource"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		virt, ok := c.Snapshot.Host.Virt.Get()
		switch {
		case have != "mmap":
			c.Keep("{present} is memory", "present", have)
		case !ok || virt.Container != "":
			c.Keep("/dev/shm of a container may be too small for posix")
		default:
			c.Set("posix",
				"mmap writes what parallel queries share to files of the data directory; posix is the default and "+
					"memory")
		}
	},
}
