package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackActivities = rule.Rule{
	Address: knob.PG("track_activities"),
	Title:   "Show running commands in pg_stat_activity",
	Why: "With off, pg_stat_activity shows no queries and states, so you cannot see which session blocks which. The " +
		"cost is one copy of the query text.",
	Formula: "on.",
	Sources: []string{"pg-config-statistics"},
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have == "on" {
			c.Keep("sessions show their current command")
			return
		}
		c.Set(true, "with off, pg_stat_activity shows no queries and states, also not to pgfettle")
	},
}
