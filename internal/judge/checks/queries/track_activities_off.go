package queries

import "github.com/pgfettle/pgfettle/internal/judge/check"

// TrackActivitiesOff has no threshold.
var TrackActivitiesOff = check.Check{
	ID:       "track_activities_off",
	Area:     check.Query,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "track_activities is off",
	Why: "With track_activities = off, pg_stat_activity shows neither the state nor the query of a session. " +
		"Blocking sessions, open transactions and long-running queries stay hidden. pgfettle cannot count " +
		"active sessions either, so limits that it bases on them are not checked.",
	Do: "Remove the line from postgresql.conf, or run: ALTER SYSTEM RESET track_activities;\nThen reload: SELECT " +
		"pg_reload_conf();\nThe overhead of the setting is negligible.",
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
