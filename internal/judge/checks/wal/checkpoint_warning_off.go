package wal

import "github.com/pgfettle/pgfettle/internal/judge/check"

// CheckpointWarningOff fires only if the warning is disabled, at any max_wal_size.
var CheckpointWarningOff = check.Check{
	ID:       "checkpoint_warning_off",
	Area:     check.WAL,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "checkpoint_warning is off",
	Why: "The server logs a warning if WAL causes checkpoints closer together than checkpoint_warning. This line " +
		"shows that max_wal_size is too small; 0 disables it.",
	Do: "1. Reset checkpoint_warning (reload): ALTER SYSTEM RESET checkpoint_warning; SELECT pg_reload_conf();\n2. " +
		"If \"checkpoints are occurring too frequently\" then appears in the log, raise max_wal_size (reload).",
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
