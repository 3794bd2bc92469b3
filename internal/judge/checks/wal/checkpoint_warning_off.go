package wal

import "github.com/pgfettle/pgfettle/internal/judge/check"

// CheckpointWarningOff asks only whether there is a warning at all.
var CheckpointWarningOff = check.Check{
	ID:       "checkpoint_warning_off",
	Area:     check.WAL,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Checkpoints that come too often are not told",
	Why: "The server writes a line to the log when WAL forces checkpoints closer together than checkpoint_warning. " +
		"That line is how one learns " +
		"that max_wal_size is too small; 0 switches it off.",
	Do: "ALTER SYSTEM RESET checkpoint_warning; SELECT pg_reload_conf(); and raise max_wal_size if the line comes.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET checkpoint_warning;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-wal", "pg-wal-configuration"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if n, ok := set.Int("checkpoint_warning"); ok && n == 0 {
			c.Found("checkpoint_warning = 0.")
		}
	},
}
