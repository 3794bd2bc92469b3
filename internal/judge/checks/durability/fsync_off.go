package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// FsyncOff: there is no host on which this is right for data that somebody
// wants to keep, so there is no threshold.
var FsyncOff = check.Check{
	ID:       "fsync_off",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "fsync is off",
	Why: "The server never asks the kernel to bring WAL and data files to stable storage. After a power failure or " +
		"a kernel crash " +
		"the files on disk come from different moments, recovery cannot make them fit together, and the damage may " +
		"show only weeks " +
		"later. A crash of the server process alone does no harm, which is why the setting goes unnoticed.",
	Do: "Run ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf(); then, as the server's operating system user, " +
		"initdb --sync-only " +
		"with the data directory (or sync): what was written until now is not safely on disk. For bulk loads use " +
		"SET synchronous_commit = off in the loading session, which cannot corrupt anything.",
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
