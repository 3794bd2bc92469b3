package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DirtyExpireCentisecs = rule.Rule{
	Address: knob.Sysctl("vm.dirty_expire_centisecs"),
	Title:   "Age at which dirty pages are written back",
	Why: "Dirty pages that stay longer accumulate, and the next fsync of a checkpoint has to write them all. With a " +
		"very short time, pages are written that change again soon.",
	Formula: "3000 (30 s, the default) if it is above 3000 or below 100 (1 s). Values in between stay.",
	Sources: []string{"linux-vm", "linux-writeback"},
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
		if have >= 100 && have <= 3000 {
			c.Keep("{present} (in 1/100 s) is between 1 s and 30 s", "present", have)
			return
		}
		c.WarnTuned()
		c.Set("3000",
			"{present} (in 1/100 s) is not between 1 s and 30 s; 3000 is the kernel default", "present", have)
	},
}
