package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// SynchronousCommitOff is a notice: it is a legitimate choice, but one that
// belongs to single transactions, and whoever set it for the whole server may
// not know that all of them pay.
var SynchronousCommitOff = check.Check{
	ID:        "synchronous_commit_off",
	Area:      check.Durability,
	Severity:  check.Notice,
	Scope:     check.PerInstance,
	Title:     "synchronous_commit is off for the whole server",
	DependsOn: []string{"fsync_off"},
	Why: "COMMIT returns before the WAL is on disk, so a crash of the server or the host loses the last " +
		"acknowledged transactions: at " +
		"most three times wal_writer_delay of them. Nothing is corrupted, but clients were told that their data is " +
		"safe.",
	Do: "Run ALTER SYSTEM SET synchronous_commit = on; SELECT pg_reload_conf(); and switch it off only where losing " +
		"the last moments is " +
		"acceptable: SET LOCAL synchronous_commit = off in the transaction, or ALTER ROLE … SET synchronous_commit " +
		"= off.",
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
		// 3: the WAL writer may sleep once, find a page half full and pass it
		// over, and sleep again before it must write it (pg-config-wal).
		if d, ok := set.Seconds("wal_writer_delay"); ok {
			c.Found(
				"synchronous_commit = off; with wal_writer_delay = {delay} a crash loses up to {ms} ms of "+
					"acknowledged commits.",
				"delay", set["wal_writer_delay"].Show(), "ms", int64(3*d*1000+0.5))
			return
		}
		c.Found("synchronous_commit = off.")
	},
}
