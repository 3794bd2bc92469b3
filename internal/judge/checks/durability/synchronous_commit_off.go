package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// SynchronousCommitOff is a notice: it is a legitimate choice for single
// transactions, but server-wide it affects all of them, perhaps without intent.
var SynchronousCommitOff = check.Check{
	ID:        "synchronous_commit_off",
	Area:      check.Durability,
	Severity:  check.Notice,
	Scope:     check.PerInstance,
	Title:     "synchronous_commit is off server-wide",
	DependsOn: []string{"fsync_off"},
	Why: "COMMIT returns before the WAL is on disk. A crash of the server or the host loses the latest " +
		"acknowledged transactions, of at most three times wal_writer_delay. Nothing is corrupted, but clients " +
		"consider this data durable.",
	Do: "1. Turn synchronous_commit on (reload): ALTER SYSTEM SET synchronous_commit = on; SELECT " +
		"pg_reload_conf();\n2. Turn it off only in transactions that may be lost: SET LOCAL synchronous_commit = " +
		"off;\n3. Or only for a role: ALTER ROLE ROLE_NAME SET synchronous_commit = off;",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET synchronous_commit = on;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-wal"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		if v, _ := set.Text("synchronous_commit"); v != "off" {
			return
		}
		// 3: the WAL writer may sleep once, find a page half full and skip it,
		// and sleep again before it must write it (pg-config-wal).
		if d, ok := set.Seconds("wal_writer_delay"); ok {
			c.Found(
				"synchronous_commit = off; with wal_writer_delay = {delay}, a crash loses up to {ms} ms of "+
					"acknowledged commits.",
				"delay", set["wal_writer_delay"].Show(), "ms", int64(3*d*1000+0.5))
			return
		}
		c.Found("synchronous_commit = off.")
	},
}
