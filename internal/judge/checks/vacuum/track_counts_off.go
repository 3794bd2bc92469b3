package vacuum

import "github.com/pgfettle/pgfettle/internal/judge/check"

// TrackCountsOff has the same effect as autovacuum_off, by a setting whose name does
// not suggest it.
var TrackCountsOff = check.Check{
	ID:       "track_counts_off",
	Area:     check.Vacuum,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "track_counts is off: autovacuum is disabled",
	Why: "Autovacuum decides by the counts of inserted, updated and deleted rows that track_counts keeps. Without " +
		"them its launcher starts only to prevent wraparound, even if autovacuum = on. All views of table " +
		"activity stop counting as well.",
	Do: "1. Turn track_counts on (reload): ALTER SYSTEM SET track_counts = on; SELECT pg_reload_conf();\n2. Nothing " +
		"was counted until now, so run in each database: VACUUM (ANALYZE);",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET track_counts = on;"),
		check.SQL("SELECT pg_reload_conf();"),
		check.SQL("VACUUM (ANALYZE);"),
	},
	Sources: []string{"pg-config-statistics", "pg-config-autovacuum"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		if v, _ := set.Text("track_counts"); v != "off" {
			return
		}
		auto, _ := set.Text("autovacuum")
		c.Found("track_counts = off for the whole server (autovacuum = {autovacuum}).", "autovacuum", auto)
	},
}
