package configuration

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StatementTimeoutGlobal leaves idle_in_transaction_session_timeout and idle_session_timeout alone: no
// work ends by them.
var StatementTimeoutGlobal = check.Check{
	ID:       "statement_timeout_global",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "A time limit for statements holds for everybody",
	Why: "A limit for the whole server also ends what must take long: CREATE INDEX, VACUUM by hand, REFRESH " +
		"MATERIALIZED VIEW, a migration, the " +
		"reports of the night, and, with lock_timeout or transaction_timeout, a backup that has to wait. Who wrote " +
		"those did not know of the " +
		"limit. The documentation advises against all of them in postgresql.conf.",
	Do: "Set the limit for the roles that it is meant for: ALTER ROLE app SET statement_timeout = '30s'; then ALTER " +
		"SYSTEM RESET it for the " +
		"server and reload.",
	Sources: []string{"pg-config-client"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		var named []string
		for _, name := range []string{"statement_timeout", "transaction_timeout", "lock_timeout"} {
			if n, ok := set.Int(name); ok && n > 0 {
				named = append(named, name+" = "+set[name].Show())
			}
		}
		if len(named) > 0 {
			c.Found("For the whole server: {named}.", "named", strings.Join(named, ", "))
		}
	},
}
