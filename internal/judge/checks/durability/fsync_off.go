package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// FsyncOff: this is right on no host whose data must be kept, so there is no
// threshold.
var FsyncOff = check.Check{
	ID:       "fsync_off",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "fsync is off",
	Why: "The server never asks the kernel to flush WAL and data files to stable storage. After a power failure or " +
		"kernel crash, the files are from different moments, recovery cannot reconcile them, and the corruption " +
		"may show only weeks later. A crash of the server alone does no harm, so the setting goes unnoticed.",
	Do: "1. Turn fsync on (reload): ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf();\n2. Flush what was written " +
		"so far with sync, or as the server's user: initdb --sync-only -D DATA_DIRECTORY\n3. For bulk loads, use SET " +
		"synchronous_commit = off in the loading session, which cannot corrupt data.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET fsync = on;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-wal", "pg-wal-reliability"},
	Judge: func(c *check.Case) {
		if v, ok := c.Setting("fsync"); ok && v == "off" {
			c.Found("fsync = off for the whole server.")
		}
	},
}
