package vacuum

import "github.com/pgfettle/pgfettle/internal/judge/check"

// TrackCountsOff has the same effect as autovacuum_off, by a setting that does
// not look like it.
var TrackCountsOff = check.Check{
	ID:       "track_counts_off",
	Area:     check.Vacuum,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "track_counts is off, so autovacuum does nothing",
	Why: "Autovacuum decides by the counts of inserted, updated and deleted rows that track_counts keeps. Without " +
		"them its launcher does " +
		"not start at all, but against wraparound, even though autovacuum = on. Every view of table activity stands " +
		"still as well.",
	Do: "Run ALTER SYSTEM SET track_counts = on; SELECT pg_reload_conf(); then VACUUM ANALYZE in each database, as " +
		"nothing was counted until now.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET track_counts = on;"),
		check.SQL("SELECT pg_reload_conf();"),
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
