package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// RecoverySyncSyncfs has the bound from the documentation of the parameter.
var RecoverySyncSyncfs = check.Check{
	ID:        "recovery_sync_syncfs",
	Area:      check.Durability,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "Crash recovery may not see that writing failed",
	DependsOn: []string{"fsync_off"},
	From:      14,
	Why: "recovery_init_sync_method = syncfs has the kernel write whole filesystems before recovery. Kernels before " +
		"5.8 do not report an error of " +
		"that writing, so the server starts on data that never reached the disk.",
	Do: "ALTER SYSTEM RESET recovery_init_sync_method; SELECT pg_reload_conf(); or boot a kernel of 5.8 or later.",
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
