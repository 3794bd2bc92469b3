package security

import "github.com/pgfettle/pgfettle/internal/judge/check"

// RowSecurityOff is a notice: most databases have no policy at all.
var RowSecurityOff = check.Check{
	ID:       "row_security_off",
	Area:     check.Security,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Queries on tables with row policies fail",
	Why: "row_security = off does not switch policies off: a query to which a policy would apply ends with an " +
		"error. It is meant for pg_dump, " +
		"which would rather fail than lose rows. For the whole server it makes every table with a policy unusable " +
		"to those whom the policy is " +
		"for.",
	Do: "ALTER SYSTEM RESET row_security; SELECT pg_reload_conf();. Where it was set for speed it gives none: " +
		"without policies nothing is " +
		"checked.",
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
