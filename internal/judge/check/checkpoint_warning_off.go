package check

// CheckpointWarningOff asks only whether there is a warning at all.
var CheckpointWarningOff = Check{
	ID:       "checkpoint_warning_off",
	Area:     WAL,
	Severity: Notice,
	Scope:    PerInstance,
	Title:    "Checkpoints that come too often are not told",
	Why: "The server writes a line to the log when WAL forces checkpoints closer together than checkpoint_warning. That line is how one learns " +
		"that max_wal_size is too small; 0 switches it off.",
	Do:      "ALTER SYSTEM RESET checkpoint_warning; SELECT pg_reload_conf(); and raise max_wal_size if the line comes.",
	Sources: []string{"pg-config-wal", "pg-wal-configuration"},
	Judge: func(c *Case) {
		set, ok := c.settings()
		if !ok {
			return
		}
		if n, ok := set.Int("checkpoint_warning"); ok && n == 0 {
			c.Found("checkpoint_warning = 0.")
		}
	},
}
