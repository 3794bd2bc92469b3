package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var LogTempFiles = rule.Rule{
	Address: knob.PG("log_temp_files"),
	Title:   "from which size on temporary files are logged",
	Why: "A temporary file is a sort or hash that did not fit its memory. The line names the statement, which is " +
		"the evidence that work_mem is decided on. " +
		"Small files are cheap, and a line for each of them could flood the log.",
	Formula: "10 MB, dw 100 MB, where none is logged; any size that is set stays.",
	Sources: []string{"pg-config-logging", "dalibo-j1"},
	Decide: func(c *rule.Case) {
		switch have := c.Now(); {
		case have == 0:
			c.Keep("every temporary file is logged")
			return
		case have > 0:
			c.Keep("files from {present} on are logged", "present", c.Shown())
			return
		}
		size := 10 * unit.MB
		if c.Options.Profile == rule.DW {
			size = 100 * unit.MB // a warehouse spills as a matter of course
		}
		c.Set(size, "none is logged, so nobody knows which statements spill; files under {size} are cheap",
			"size", size)
	},
}
