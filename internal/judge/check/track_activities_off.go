package check

// TrackActivitiesOff has no threshold.
var TrackActivitiesOff = Check{
	ID:       "track_activities_off",
	Area:     Query,
	Severity: Warning,
	Scope:    PerInstance,
	Title:    "Nobody can see what sessions do",
	Why: "With track_activities = off pg_stat_activity shows neither state nor query. Who blocks whom, who sits in an open transaction, what has " +
		"been running for an hour remain hidden, and the limits of this program that rest on active sessions too.",
	Do:      "ALTER SYSTEM RESET track_activities; SELECT pg_reload_conf();. It costs next to nothing.",
	Sources: []string{"pg-config-statistics"},
	Judge: func(c *Case) {
		set, ok := c.settings()
		if !ok {
			return
		}
		if v, ok := set.Text("track_activities"); ok && v == "off" {
			c.Found("track_activities = off.")
		}
	},
}
