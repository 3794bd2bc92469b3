package service

import "github.com/pgfettle/pgfettle/internal/judge/check"

// RestartAfterCrashOff is for servers without a cluster manager that restarts them.
var RestartAfterCrashOff = check.Check{
	ID:       "restart_after_crash_off",
	Area:     check.Service,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "restart_after_crash is off",
	Why: "When a backend crashes, the postmaster normally terminates all others and restarts the instance. " +
		"With restart_after_crash = off it shuts down instead and leaves the restart to a cluster manager. " +
		"Without one, a single killed backend keeps the database down until an administrator starts it.",
	Do: "1. Run: ALTER SYSTEM RESET restart_after_crash;\n2. Reload: SELECT pg_reload_conf();\nKeep the current " +
		"value only if a cluster manager that pgfettle does not detect, such as Pacemaker, restarts the server.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET restart_after_crash;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("restart_after_crash"); !ok || v != "off" {
			return
		}
		manager, ok := check.Need(c, c.Instance.Manager)
		switch {
		case !ok:
			c.FoundAs(check.Notice,
				"restart_after_crash = off; it is unknown whether a cluster manager restarts the server.")
		case manager == "":
			c.Found("restart_after_crash = off; no cluster manager was found.")
		}
	},
}
