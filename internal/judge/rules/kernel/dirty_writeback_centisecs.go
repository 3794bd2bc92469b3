package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DirtyWritebackCentisecs = rule.Rule{
	Address: knob.Sysctl("vm.dirty_writeback_centisecs"),
	Title:   "Writeback flusher interval",
	Why: "With 0, periodic writeback is off: dirty pages stay in memory until a dirty limit is reached or an fsync " +
		"needs them. Then all of them are written at once.",
	Formula: "500 (5 s, the default) if it is 0 or longer. Shorter intervals stay. The desktop profile keeps a " +
		"longer interval, which lets a disk spin down.",
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
				"with 0, periodic writeback is off: dirty pages accumulate until a checkpoint waits for all of them")
		case have <= 500 || c.Options.Profile == rule.Desktop:
			c.Keep("an interval of {present} (in 1/100 s) is short enough", "present", have)
		default:
			c.WarnTuned()
			c.Set("500", "with an interval of {present} (in 1/100 s), dirty pages accumulate; 500 is the kernel "+
				"default",
				"present", have)
		}
	},
}
