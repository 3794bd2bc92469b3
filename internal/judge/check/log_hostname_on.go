package check

// LogHostnameOn does not count log-ins: one that hangs is enough.
var LogHostnameOn = Check{
	ID:       "log_hostname_on",
	Area:     Connections,
	Severity: Notice,
	Scope:    PerInstance,
	Title:    "Each connection waits for the name service",
	Why: "log_hostname = on asks the name service for the name of every client before it may go on. When DNS is slow every log-in is; when it " +
		"does not answer all log-ins hang. The address is in the log without it.",
	Do:      "ALTER SYSTEM SET log_hostname = off; SELECT pg_reload_conf();.",
	Sources: []string{"pg-config-logging", "dalibo-j1"},
	Judge: func(c *Case) {
		set, ok := c.settings()
		if !ok {
			return
		}
		if v, ok := set.Text("log_hostname"); ok && v == "on" {
			c.Found("log_hostname = on.")
		}
	},
}
