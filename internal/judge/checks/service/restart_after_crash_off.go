package service

import "github.com/pgfettle/pgfettle/internal/judge/check"

// RestartAfterCrashOff is for servers that nothing restarts.
var RestartAfterCrashOff = check.Check{
	ID:       "restart_after_crash_off",
	Area:     check.Service,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "The server stays down after a crash of one backend",
	Why: "When a backend dies the postmaster ends all others and starts afresh by itself. With restart_after_crash " +
		"= off it ends instead and " +
		"leaves the rest to a cluster manager. Without one, one killed backend takes the database away until " +
		"somebody comes.",
	Do: "ALTER SYSTEM RESET restart_after_crash; SELECT pg_reload_conf(); unless a cluster manager that pgfettle " +
		"does not know restarts it, such " +
		"as Pacemaker.",
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
				"restart_after_crash = off; whether a cluster manager restarts the server could not be seen.")
		case manager == "":
			c.Found("restart_after_crash = off, and no cluster manager was seen.")
		}
	},
}
