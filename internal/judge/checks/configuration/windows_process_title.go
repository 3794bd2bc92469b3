package configuration

import "github.com/pgfettle/pgfettle/internal/judge/check"

// WindowsProcessTitle sees the platform in version().
var WindowsProcessTitle = check.Check{
	ID:       "windows_process_title",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Each statement changes the process title on Windows",
	Why: "update_process_title has each backend write what it does into its title. On Windows that is a system " +
		"object for each change, costly " +
		"enough that the default there is off.",
	Do: "ALTER SYSTEM RESET update_process_title; SELECT pg_reload_conf();. pg_stat_activity tells the same.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET update_process_title;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-logging"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		on, _ := set.Bool("update_process_title")
		if !on {
			return
		}
		if a, ok := check.Need(c, c.Instance.Server.Access); ok && check.OnWindows(a) {
			c.Found("update_process_title = on ({compiled}).", "compiled", a.Compiled)
		}
	},
}
