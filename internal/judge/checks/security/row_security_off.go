package security

import "github.com/pgfettle/pgfettle/internal/judge/check"

// RowSecurityOff is a notice: most databases have no policy at all.
var RowSecurityOff = check.Check{
	ID:       "row_security_off",
	Area:     check.Security,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "row_security is off server-wide",
	Why: "row_security = off does not disable policies: a query to which a policy would apply fails with an " +
		"error. The setting is meant for pg_dump, which must fail rather than skip rows. Set for the whole " +
		"server, it makes each table with a policy unusable for the roles that the policy applies to.",
	Do: "Remove the line from postgresql.conf, or run: ALTER SYSTEM RESET row_security;\nThen reload: SELECT " +
		"pg_reload_conf();\nThe setting does not make queries faster: without policies nothing is checked.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET row_security;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-client", "its-1c"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("row_security"); ok && v == "off" {
			c.Found("row_security = off for the whole server.")
		}
	},
}
