package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackCounts = rule.Rule{
	Address: knob.PG("track_counts"),
	Title:   "Table and index activity counters",
	Why: "Autovacuum uses these counters to find tables that need it. Without them it does not work, apart from " +
		"preventing wraparound.",
	Formula: "on.",
	Sources: []string{"pg-config-statistics", "pg-routine-vacuuming"},
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(knob.PG("track_counts")); have == "on" {
			c.Keep("activity is counted, as autovacuum requires")
			return
		}
		c.Set(true, "with off, autovacuum does not see which tables need it")
	},
}
