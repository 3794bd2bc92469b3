package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DirtyWritebackCentisecs = rule.Rule{
	Address: knob.Sysctl("vm.dirty_writeback_centisecs"),
	Title:   "how often the kernel looks for old pages to write out",
	Why: "With 0 it never looks: written pages stay in memory until there are too many of them or a checkpoint " +
		"asks for them, and then all are written at once.",
	Formula: "500 (5 s), the default, where it is 0 or longer; less stays. The desktop profile keeps a longer time, " +
		"which lets a disk sleep.",
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
		switch {
		case have == 0:
			c.WarnTuned()
			c.Set("500",
				"0 switches the kernel's regular writing off: written pages pile up until a checkpoint waits for "+
					"all of them")
		case have <= 500 || c.Options.Profile == rule.Desktop:
			c.Keep("every {present} hundredths of a second is often enough", "present", have)
		default:
			c.WarnTuned()
			c.Set("500", "{present} hundredths of a second let written pages pile up; 500 is the kernel's default",
				"present", have)
		}
	},
}
