package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var HashMemMultiplier = rule.Rule{
	Address: knob.PG("hash_mem_multiplier"),
	Title:   "Multiple of work_mem for hash tables",
	Why: "A hash that spills is much slower than a sort that spills, so it gets more memory. In 13 and 14 a hash " +
		"gets as much as a sort, since 15 twice as much: an upgrade to 15 doubles the memory of hashes.",
	Formula: "2 in 13 and 14 if it is 1, so that an upgrade changes nothing; otherwise unchanged. work_mem is sized " +
		"with it.",
	Sources: []string{"pg-config-resource", "pg-source-hash", "pg-release-notes"},
	Decide: func(c *rule.Case) {
		version, ok := c.Instance.Server.Version.Get()
		if !ok {
			return
		}
		if version.Major() < 15 && c.Now() == 1 {
			c.Set(2.0,
				"on {major} a hash gets as much memory as a sort; 2 is the default since 15, and work_mem is sized "+
					"for it", "major", version.Major())
			return
		}
		c.Keep("{present} stays; work_mem is sized with it", "present", c.Shown())
	},
}
