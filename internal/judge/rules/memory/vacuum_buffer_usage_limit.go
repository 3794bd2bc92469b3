package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var VacuumBufferUsageLimit = rule.Rule{
	Address: knob.PG("vacuum_buffer_usage_limit"),
	Title:   "how much of shared_buffers VACUUM and ANALYZE pass through",
	Why: "In a ring of 256 kB, the default of 16, VACUUM flushes the WAL each time it comes round to write its " +
		"own dirty pages. 17 made it 2 MB. 0 takes no ring at all: one VACUUM of a large table then throws the " +
		"whole cache out.",
	Formula: "At least 2 MB, the default from 17 on; 0 goes back to it. More stays; the server takes no more than " +
		"an eighth of shared_buffers.",
	Sources: []string{"pg-config-resource", "pg-release-notes"},
	From:    16,
	Decide: func(c *rule.Case) {
		have, ok := c.Bytes(c.Rule.Address)
		switch {
		case !ok:
		case have == 0:
			c.Set(2*unit.MB,
				"0 lets one VACUUM of a large table throw the whole cache out; 2 MB is the default from 17 on")
		case have < 2*unit.MB:
			c.Set(2*unit.MB,
				"in {present} VACUUM waits for the WAL again and again to write its own pages; 2 MB is the default "+
					"from 17 on", "present", c.Shown())
		default:
			c.Keep("VACUUM passes through {present}", "present", c.Shown())
		}
	},
}
