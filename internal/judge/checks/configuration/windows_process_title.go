package configuration

import "github.com/pgfettle/pgfettle/internal/judge/check"

// WindowsProcessTitle finds the platform in version().
var WindowsProcessTitle = check.Check{
	ID:       "windows_process_title",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "update_process_title is on (Windows)",
	Why: "With update_process_title = on, each backend writes its current activity to its process title. On " +
		"Windows each change is a system object, which is so expensive that the default there is off.",
	Do: "Remove the line from postgresql.conf, or run: ALTER SYSTEM RESET update_process_title;\nThen reload: SELECT " +
		"pg_reload_conf();\npg_stat_activity shows the same information.",
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
