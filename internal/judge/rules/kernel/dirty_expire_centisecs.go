package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DirtyExpireCentisecs = rule.Rule{
	Address: knob.Sysctl("vm.dirty_expire_centisecs"),
	Title:   "how old a written page may become before the kernel writes it out",
	Why: "Pages that are kept longer pile up, and the next fsync of a checkpoint finds them all. A very short " +
		"time writes pages that are changed again at once.",
	Formula: "3000 (30 s), the default, where it is longer or below 100 (1 s); what is between stays.",
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
			c.Keep("{present} hundredths of a second are moderate", "present", have)
			return
		}
		c.WarnTuned()
		c.Set("3000",
			"{present} hundredths of a second are outside of what is moderate, 1 to 30 seconds; 3000 is the "+
				"kernel's default", "present", have)
	},
}
