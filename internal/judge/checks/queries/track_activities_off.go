package queries

import "github.com/pgfettle/pgfettle/internal/judge/check"

// TrackActivitiesOff has no threshold.
var TrackActivitiesOff = check.Check{
	ID:       "track_activities_off",
	Area:     check.Query,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Nobody can see what sessions do",
	Why: "With track_activities = off pg_stat_activity shows neither state nor query. Who blocks whom, who sits in " +
		"an open transaction, what has " +
		"been running for an hour remain hidden, and the limits of this program that rest on active sessions too.",
	Do: "ALTER SYSTEM RESET track_activities; SELECT pg_reload_conf();. It costs next to nothing.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET track_activities;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-statistics"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("track_activities"); ok && v == "off" {
			c.Found("track_activities = off.")
		}
	},
}
