package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var LogTempFiles = rule.Rule{
	Address: knob.PG("log_temp_files"),
	Title:   "Log temporary files of at least this size",
	Why: "Temporary files come from sorts and hashes that exceed their memory. The log entry names the statement, " +
		"which is the best evidence for sizing work_mem. Small files cost little, and an entry for each could flood " +
		"the log.",
	Formula: "10 MB (dw: 100 MB) if none are logged. A size that is set stays.",
	Sources: []string{"pg-config-logging", "dalibo-j1"},
	Decide: func(c *rule.Case) {
		switch have := c.Now(); {
		case have == 0:
			c.Keep("all temporary files are logged")
			return
		case have > 0:
			c.Keep("temporary files of at least {present} are logged", "present", c.Shown())
			return
		}
		size := 10 * unit.MB
		if c.Options.Profile == rule.DW {
			size = 100 * unit.MB // a warehouse spills as a matter of course
		}
		c.Set(size, "temporary files are not logged, so it is unknown which statements spill; files below {size} "+
			"cost little",
			"size", size)
	},
}
