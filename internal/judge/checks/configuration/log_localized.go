package configuration

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// LogLocalized uses the name only: the server does not show whether the translations are installed.
var LogLocalized = check.Check{
	ID:       "log_localized",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Server log is localized (lc_messages)",
	Why: "Programs that read the log, and search engines, know the English messages. In another language, " +
		"monitoring misses deadlocks, full disks and crash recovery, and reports no problem.",
	Do: "Log in English (reload): ALTER SYSTEM SET lc_messages = 'C'; SELECT pg_reload_conf(); A role that " +
		"needs another language can have it with ALTER ROLE ROLE_NAME SET lc_messages, as a superuser; its " +
		"messages in the log are then in that language, too. %e in log_line_prefix logs the SQLSTATE, which is " +
		"the same in every language.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET lc_messages = 'C';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-client", "dalibo-j1"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		v, ok := set.Text("lc_messages")
		if !ok {
			return
		}
		language, _, _ := strings.Cut(v, ".")
		language, _, _ = strings.Cut(language, "_")
		switch strings.ToLower(language) {
		case "", "c", "posix", "en", "english":
			return
		}
		c.Found("lc_messages = '{v}'.", "v", v)
	},
}
