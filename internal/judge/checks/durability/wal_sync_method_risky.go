package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// WalSyncMethodRisky ignores Linux: there all four methods flush the cache of the drive, and
// pg_test_fsync shows which is fastest.
var WalSyncMethodRisky = check.Check{
	ID:        "wal_sync_method_risky",
	Area:      check.Durability,
	Severity:  check.Notice,
	Scope:     check.PerInstance,
	Title:     "wal_sync_method leaves WAL in the drive cache",
	DependsOn: []string{"fsync_off"},
	Why: "On Windows, open_datasync (the default there) does not flush the write cache of the drive. A power " +
		"failure then loses acknowledged commits. A test that shows tens of thousands of flushes per second on a " +
		"disk with 120 rotations per second has measured that cache.",
	Do: "Unless a battery or capacitors protect the drive cache, do one of these:\n" +
		"1. Flush the drive cache (reload): ALTER SYSTEM SET wal_sync_method = 'fsync_writethrough'; SELECT " +
		"pg_reload_conf();\n" +
		"2. Disable write caching in the properties of the drive.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET wal_sync_method = 'fsync_writethrough';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-wal-reliability", "pg-config-wal"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		v, ok := set.Text("wal_sync_method")
		if !ok || v != "open_datasync" && v != "open_sync" {
			return
		}
		if a, ok := check.Need(c, c.Instance.Server.Access); ok && check.OnWindows(a) {
			c.Found("wal_sync_method = {v} ({compiled}).", "v", v, "compiled", a.Compiled)
		}
	},
}
