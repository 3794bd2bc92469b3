package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var ThpShmemEnabled = rule.Rule{
	Address: "thp:shmem_enabled",
	Title:   "whether shared memory is put into transparent huge pages unasked",
	Why: "It is for shared memory that no program reserved huge pages for. On for all, the kernel compacts " +
		"memory while sessions touch their buffers for the first time; a pool and huge_pages give the same without " +
		"the wait, or say at the start that it is not there.",
	Formula: "never where it is always, within_size or force; advise, never and deny stay.",
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
			c.Keep("{present} is right: shared memory gets them only from the pool", "present", have)
			return
		}
		c.Set("never",
			"with {present} sessions wait for the kernel to compact memory under the shared buffers; a pool of huge "+
				"pages does not", "present", have)
	},
}
