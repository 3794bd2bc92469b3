package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var VacuumBufferUsageLimit = rule.Rule{
	Address: knob.PG("vacuum_buffer_usage_limit"),
	Title:   "Buffer ring size for VACUUM and ANALYZE",
	Why: "With a ring of 256 kB, the default of 16, VACUUM flushes WAL each time it reuses the ring. 17 raised the " +
		"default to 2 MB. With 0, no ring is used: one VACUUM of a large table can evict the whole buffer cache.",
	Formula: "At least 2 MB, the default since 17; also if it is 0. Higher values stay. The server uses at most 1/8 " +
		"of shared_buffers.",
	Sources: []string{"pg-config-resource", "pg-release-notes"},
	From:    16,
	Decide: func(c *rule.Case) {
		have, ok := c.Bytes(c.Rule.Address)
		switch {
		case !ok:
		case have == 0:
			c.Set(2*unit.MB,
				"with 0, one VACUUM of a large table can evict the whole buffer cache; 2 MB is the default since 17")
		case have < 2*unit.MB:
			c.Set(2*unit.MB,
				"with {present}, VACUUM repeatedly waits for WAL before it writes its own pages; 2 MB is the default "+
					"since 17", "present", c.Shown())
		default:
			c.Keep("VACUUM uses a ring of {present}", "present", c.Shown())
		}
	},
}
