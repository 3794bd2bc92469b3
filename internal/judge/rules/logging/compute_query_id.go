package logging

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var ComputeQueryID = rule.Rule{
	Address: knob.PG("compute_query_id"),
	Title:   "whether queries get an identity of their form",
	Why:     "pg_stat_statements counts by it. With off the extension is loaded, costs its memory, and counts nothing.",
	Formula: "auto, the default, where it is off and pg_stat_statements is loaded; otherwise as it is.",
	Sources: []string{"pg-config-statistics"},
	From:    14,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		loaded := slices.Contains(sizing.Preloaded(c), "pg_stat_statements")
		if have != "off" || !loaded {
			c.Keep("{present} is right here", "present", have)
			return
		}
		c.Set("auto", "pg_stat_statements is loaded and counts nothing without it")
	},
}
