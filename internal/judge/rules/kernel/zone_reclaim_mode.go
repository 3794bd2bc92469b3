package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var ZoneReclaimMode = rule.Rule{
	Address: knob.Sysctl("vm.zone_reclaim_mode"),
	Title:   "whether a NUMA node throws its file cache away before it takes memory of another node",
	Why: "With anything but 0 a node that is full drops cached file pages although another node has free memory, " +
		"and processes spend their time reclaiming. " +
		"Reading the page from the other node is a hundred times cheaper than reading it again from the disk. " +
		"Kernels since 3.16 do not switch it on by themselves.",
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
			c.Keep("0 is right: memory of another node is cheaper than the disk")
			return
		}
		c.Set("0",
			"{present} makes a full node drop its file cache while other nodes have free memory; somebody has set "+
				"it, as 0 is the kernel's default", "present", have)
	},
}
