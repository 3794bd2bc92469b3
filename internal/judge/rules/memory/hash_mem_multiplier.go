package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var HashMemMultiplier = rule.Rule{
	Address: knob.PG("hash_mem_multiplier"),
	Title:   "how many times work_mem a hash may take",
	Why: "A hash that does not fit is slower by far than a sort that does not, so it deserves more. 13 and 14 give " +
		"it the same as a sort, from 15 on it gets twice that: " +
		"whoever upgrades doubles the memory of his hashes without having been asked.",
	Formula: "2 on 13 and 14 where it is 1, so that an upgrade changes nothing; elsewhere as it is. Whatever it is, " +
		"work_mem is sized with it.",
	Sources: []string{"pg-config-resource", "pg-source-hash", "pg-release-notes"},
	Decide: func(c *rule.Case) {
		version, ok := c.Instance.Server.Version.Get()
		if !ok {
			return
		}
		if version.Major() < 15 && c.Now() == 1 {
			c.Set(2.0,
				"a hash on {major} gets what a sort gets; from 15 on twice that is the default, and work_mem is "+
					"sized for it", "major", version.Major())
			return
		}
		c.Keep("{present} stays; work_mem is sized for it", "present", c.Shown())
	},
}
