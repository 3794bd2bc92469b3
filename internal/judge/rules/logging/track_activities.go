package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackActivities = rule.Rule{
	Address: knob.PG("track_activities"),
	Title:   "whether the server shows what each session does",
	Why: "Without it pg_stat_activity is empty of queries and states, and nobody sees who blocks whom. It costs " +
		"a copy of the query's text.",
	Formula: "on.",
	Sources: []string{"pg-config-statistics"},
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have == "on" {
			c.Keep("what sessions do is shown")
			return
		}
		c.Set(true, "off: nobody can see who runs what and who waits for whom, this program included")
	},
}
