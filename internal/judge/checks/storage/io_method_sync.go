package storage

import "github.com/pgfettle/pgfettle/internal/judge/check"

// IoMethodSync does not choose between worker and io_uring: that depends on the host.
var IoMethodSync = check.Check{
	ID:       "io_method_sync",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Asynchronous I/O is disabled (io_method = sync)",
	From:     18,
	Why: "PostgreSQL 18 and later read ahead with several concurrent requests in sequential scans, bitmap heap " +
		"scans and VACUUM. With io_method = sync, a backend waits for each read and gives at most hints to the " +
		"kernel, as in PostgreSQL 17. This setting is useful for finding out whether asynchronous I/O causes a " +
		"problem, but not as a permanent setting.",
	Do: "Use I/O workers, the default (restart): ALTER SYSTEM SET io_method = 'worker';",
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
