package configuration

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StatementTimeoutGlobal ignores idle_in_transaction_session_timeout and idle_session_timeout: they
// cancel no work.
var StatementTimeoutGlobal = check.Check{
	ID:       "statement_timeout_global",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Statement, transaction or lock timeout set server-wide",
	Why: "A timeout for the whole server also cancels work that must take long: CREATE INDEX, manual VACUUM, " +
		"REFRESH MATERIALIZED VIEW, migrations and nightly reports. Their authors usually do not expect the " +
		"timeout. The PostgreSQL manual does not recommend these settings in postgresql.conf.",
	Do: "Set the timeout for the roles that need it: ALTER ROLE ROLE_NAME SET statement_timeout = '30s';\nThen " +
		"remove it from postgresql.conf, or run ALTER SYSTEM RESET with its name, and reload.",
	Sources: []string{"pg-config-client"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		var named []string
		last := ""
		for _, name := range []string{"statement_timeout", "transaction_timeout", "lock_timeout"} {
			if n, ok := set.Int(name); ok && n > 0 {
				last = name
				named = append(named, name+" = "+set[name].Show())
			}
		}
		switch {
		case len(named) == 1 && last != "statement_timeout":
			c.FoundDo(check.Notice, "Set the timeout for the roles that need it: ALTER ROLE ROLE_NAME SET "+
				"{parameter} = "+
				"'{value}';\nThen remove it from postgresql.conf, or run ALTER SYSTEM RESET {parameter}, and reload.",
				"{named} for the whole server.", "named", say.Names(named, 0), "parameter", last, "value",
				set[last].Show())
		case len(named) > 0:
			c.Found("{named} for the whole server.", "named", say.Names(named, 0))
		}
	},
}
