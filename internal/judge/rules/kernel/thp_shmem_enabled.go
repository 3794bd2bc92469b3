package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var ThpShmemEnabled = rule.Rule{
	Address: "thp:shmem_enabled",
	Title:   "THP for shared memory",
	Why: "This setting gives THP to shared memory that uses no reserved huge pages. If it applies to all shared " +
		"memory, the kernel compacts memory while sessions touch shared buffers for the first time. A huge page pool " +
		"with huge_pages has the same benefit without that wait, and with huge_pages = on a missing pool is reported " +
		"at startup.",
	Formula: "never if it is always, within_size or force. advise, never and deny stay.",
	Sources: []string{"linux-thp", "pg-config-resource"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		have, ok := rule.Need(c, c.Snapshot.Host.THP.ShmemEnabled)
		if !ok {
			return
		}
		if have == "never" || have == "advise" || have == "deny" {
			c.Keep("with {present}, shared_buffers gets huge pages only from the pool", "present", have)
			return
		}
		c.Set("never",
			"with {present}, sessions wait while the kernel compacts memory for shared_buffers; a huge page pool "+
				"avoids that", "present", have)
	},
}
