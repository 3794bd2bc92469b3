package storage

import "github.com/pgfettle/pgfettle/internal/judge/check"

// IoMethodSync does not choose between workers and io_uring: that depends on the host.
var IoMethodSync = check.Check{
	ID:       "io_method_sync",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Reads are not asynchronous",
	From:     18,
	Why: "From 18 on sequential scans, bitmap scans and VACUUM read ahead with several requests at once. io_method " +
		"= sync gives that up and reads " +
		"as 17 did, one page after the other with hints to the kernel: good for finding out whether asynchronous " +
		"I/O is to blame for something, " +
		"not as a lasting state.",
	Do: "ALTER SYSTEM SET io_method = 'worker'; and restart.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET io_method = 'worker';"),
	},
	Sources: []string{"pg-config-resource", "pg-source-aio"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("io_method"); ok && v == "sync" {
			c.Found("io_method = sync.")
		}
	},
}
