package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackCounts = rule.Rule{
	Address: knob.PG("track_counts"),
	Title:   "whether changes of tables are counted",
	Why:     "Autovacuum finds the tables that need it by these counts; without them it is as good as off.",
	Formula: "on.",
	Sources: []string{"pg-config-statistics", "pg-routine-vacuuming"},
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(knob.PG("track_counts")); have == "on" {
			c.Keep("changes are counted, as autovacuum needs it")
			return
		}
		c.Set(true, "off: autovacuum does not see which tables need it")
	},
}
