package check

import "fmt"

// ConfigFileErrors leaves out the rows that pg_file_settings marks as "could
// not be applied" only because they wait for a restart: those are
// pending_restart's, and right.
var ConfigFileErrors = Check{
	ID:       "config_file_errors",
	Area:     Config,
	Severity: Critical,
	Scope:    PerInstance,
	Title:    "The configuration files have errors",
	Why: "The running server passes over what it does not understand, so nobody notices; but it refuses to start with such a file. The next " +
		"restart, be it a planned one or the one after a power failure, ends with the server down. A syntax error also keeps every " +
		"reload from taking effect.",
	Do: "Correct or remove the named lines (ALTER SYSTEM RESET name for those in postgresql.auto.conf), run SELECT pg_reload_conf(); and see that " +
		"SELECT * FROM pg_file_settings WHERE error IS NOT NULL; is empty.",
	Sources: []string{"pg-config", "pg-system-views"},
	Judge: func(c *Case) {
		list, ok := Need(c, c.Instance.Server.FileSettings)
		if !ok {
			return
		}
		set, ok := Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		var told []string
		for _, f := range list {
			if f.Error == "" || set[f.Name].PendingRestart {
				continue
			}
			name := f.Name
			if name == "" {
				name = "a line"
			}
			told = append(told, fmt.Sprintf("%s line %d: %s: %s", f.File, f.Line, name, f.Error))
		}
		if len(told) > 0 {
			c.Found("{errors}.", "errors", listed(told, "; ", 5))
		}
	},
}
