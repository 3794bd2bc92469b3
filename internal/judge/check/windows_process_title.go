package check

// WindowsProcessTitle sees the platform in version().
var WindowsProcessTitle = Check{
	ID:       "windows_process_title",
	Area:     Config,
	Severity: Notice,
	Scope:    PerInstance,
	Title:    "Each statement changes the process title on Windows",
	Why: "update_process_title has each backend write what it does into its title. On Windows that is a system object for each change, costly " +
		"enough that the default there is off.",
	Do:      "ALTER SYSTEM RESET update_process_title; SELECT pg_reload_conf();. pg_stat_activity tells the same.",
	Sources: []string{"pg-config-logging"},
	Judge: func(c *Case) {
		set, ok := c.settings()
		if !ok {
			return
		}
		on, _ := set.Bool("update_process_title")
		if !on {
			return
		}
		if a, ok := Need(c, c.Instance.Server.Access); ok && onWindows(a) {
			c.Found("update_process_title = on ({compiled}).", "compiled", a.Compiled)
		}
	},
}
