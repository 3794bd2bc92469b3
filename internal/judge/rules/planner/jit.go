package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var JIT = rule.Rule{
	Address: knob.PG("jit"),
	Title:   "JIT compilation",
	Why: "Compilation takes tens to hundreds of milliseconds per query, and again in each parallel worker. Long " +
		"scans regain that time. A short query with an overestimated cost loses many times its own run time, so 19 " +
		"disables JIT by default.",
	Formula: "off for web, oltp and 1c; otherwise unchanged.",
	Sources: []string{"pg-config-query", "pg-release-notes"},
	To:      18,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(knob.PG("jit"))
		switch c.Options.Profile {
		case rule.Web, rule.OLTP, rule.OneC:
			if have == "on" {
				c.Set(false,
					"short queries, as in the {profile} profile, pay for a compilation that they do not regain if "+
						"their cost is overestimated", "profile", string(c.Options.Profile))
				return
			}
		}
		if have == "on" {
			c.Keep("long queries of the {profile} profile can benefit", "profile", string(c.Options.Profile))
			return
		}
		c.Keep("already off")
	},
}
