package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var JIT = rule.Rule{
	Address: knob.PG("jit"),
	Title:   "whether expressions of expensive queries are compiled",
	Why: "Compiling takes tens to hundreds of milliseconds for each query and, with parallel workers, for each " +
		"process. Long scans win it back. " +
		"A short query whose cost was overestimated loses many times its own run time; that is why 19 has it off.",
	Formula: "off for web, oltp and 1c; elsewhere as it is.",
	Sources: []string{"pg-config-query", "pg-release-notes"},
	To:      18,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(knob.PG("jit"))
		switch c.Options.Profile {
		case rule.Web, rule.OLTP, rule.OneC:
			if have == "on" {
				c.Set(false,
					"short queries, as in the {profile} profile, whose cost is overestimated would pay for a "+
						"compilation that they never win back", "profile", string(c.Options.Profile))
				return
			}
		}
		if have == "on" {
			c.Keep("long queries of the {profile} profile may win by it", "profile", string(c.Options.Profile))
			return
		}
		c.Keep("it is off")
	},
}
