package configuration

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// LogLocalized goes by the name only: whether the translations are installed, the server does not
// tell.
var LogLocalized = check.Check{
	ID:       "log_localized",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Messages of the log are translated",
	Why: "Programs that read the log, and search engines, know the English messages. In another language a monitor " +
		"does not see the deadlock, the " +
		"full disk or the recovery after a crash, and says that all is well.",
	Do: "ALTER SYSTEM SET lc_messages = 'C'; SELECT pg_reload_conf();. Clients that want their own language set " +
		"lc_messages in their session. In " +
		"the meantime %e in log_line_prefix gives the SQLSTATE, which is the same in every language.",
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
