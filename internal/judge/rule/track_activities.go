package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

var trackActivities = Rule{
	Address: knob.PG("track_activities"),
	Title:   "whether the server shows what each session does",
	Why:     "Without it pg_stat_activity is empty of queries and states, and nobody sees who blocks whom. It costs a copy of the query's text.",
	Formula: "on.",
	Sources: []string{"pg-config-statistics"},
	Decide: func(c *Case) {
		if have, _ := c.Text(c.rule.Address); have == "on" {
			c.Keep("what sessions do is shown")
			return
		}
		c.Set(true, "off: nobody can see who runs what and who waits for whom, this program included")
	},
}
