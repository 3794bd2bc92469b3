package logging

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var ComputeQueryID = rule.Rule{
	Address: knob.PG("compute_query_id"),
	Title:   "Query identifiers computed by the server (for pg_stat_statements)",
	Why: "pg_stat_statements identifies queries by this identifier. With off, the extension is loaded and uses " +
		"memory, but collects nothing.",
	Formula: "auto, the default, if it is off and pg_stat_statements is loaded; otherwise unchanged.",
	Sources: []string{"pg-config-statistics"},
	From:    14,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		loaded := slices.Contains(sizing.Preloaded(c), "pg_stat_statements")
		if have != "off" || !loaded {
			c.Keep("no change needed: {present}", "present", have)
			return
		}
		c.Set("auto", "pg_stat_statements is loaded but collects nothing with off")
	},
}
