package connections

import "github.com/pgfettle/pgfettle/internal/judge/check"

// LogHostnameOn does not count log-ins: one that hangs is enough.
var LogHostnameOn = check.Check{
	ID:       "log_hostname_on",
	Area:     check.Connections,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "log_hostname is on: DNS lookup per connection",
	Why: "With log_hostname = on, the server looks up the host name of each client before the session can " +
		"continue. If DNS is slow, every login is slow; if it does not answer, all logins hang. Even without this " +
		"setting, the log contains the IP address.",
	Do: "Turn log_hostname off (reload): ALTER SYSTEM SET log_hostname = off; SELECT pg_reload_conf();",
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
