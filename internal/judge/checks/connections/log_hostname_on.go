package connections

import "github.com/pgfettle/pgfettle/internal/judge/check"

// LogHostnameOn does not count log-ins: one that hangs is enough.
var LogHostnameOn = check.Check{
	ID:       "log_hostname_on",
	Area:     check.Connections,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Each connection waits for the name service",
	Why: "log_hostname = on asks the name service for the name of every client before it may go on. When DNS is " +
		"slow every log-in is; when it " +
		"does not answer all log-ins hang. The address is in the log without it.",
	Do: "ALTER SYSTEM SET log_hostname = off; SELECT pg_reload_conf();.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET log_hostname = off;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-logging", "dalibo-j1"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("log_hostname"); ok && v == "on" {
			c.Found("log_hostname = on.")
		}
	},
}
