package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// RecoverySyncSyncfs has its kernel version from the documentation of the parameter.
var RecoverySyncSyncfs = check.Check{
	ID:        "recovery_sync_syncfs",
	Area:      check.Durability,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "syncfs hides write errors before crash recovery",
	DependsOn: []string{"fsync_off"},
	From:      14,
	Why: "With recovery_init_sync_method = syncfs, the kernel flushes whole filesystems before crash recovery. " +
		"Linux 5.7 and earlier do not report write errors of syncfs, so the server can start on data that never " +
		"reached the disk.",
	Do: "Do one of these:\n1. Reset recovery_init_sync_method (reload): ALTER SYSTEM RESET " +
		"recovery_init_sync_method; SELECT pg_reload_conf();\n2. Boot Linux 5.8 or later.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET recovery_init_sync_method;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("recovery_init_sync_method"); !ok || v != "syncfs" {
			return
		}
		if k, ok := check.Need(c, c.Snapshot.Host.Kernel); ok && !k.AtLeast(5, 8) {
			c.Found("recovery_init_sync_method = syncfs on kernel {kernel}.", "kernel", k)
		}
	},
}
