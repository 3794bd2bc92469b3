package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// DataSyncRetryOn fires on any system: those on which it is safe (such as FreeBSD with ZFS) do not
// benefit from it.
var DataSyncRetryOn = check.Check{
	ID:       "data_sync_retry_on",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "data_sync_retry is on: failed fsync is retried",
	Why: "When fsync fails, Linux marks the pages clean and may drop them. The next fsync succeeds although the " +
		"data never reached the disk. With data_sync_retry = on, the server completes the checkpoint, and the " +
		"loss is found months later or never. If it is off, the server stops with a PANIC and recovers from the " +
		"WAL.",
	Do: "1. Reset data_sync_retry (restart): ALTER SYSTEM RESET data_sync_retry;\n2. Look for I/O errors: journalctl " +
		"-k | grep -i \"i/o error\"",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET data_sync_retry;"),
		check.Shell(`journalctl -k | grep -i "i/o error"`),
	},
	Sources: []string{"pg-config", "pg-wal-reliability"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("data_sync_retry"); ok && v == "on" {
			c.Found("data_sync_retry = on.")
		}
	},
}
