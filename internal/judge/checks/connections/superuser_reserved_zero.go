package connections

import "github.com/pgfettle/pgfettle/internal/judge/check"

// SuperuserReservedZero has one line only: none is too few, and how many more
// than one are kept is a matter of taste.
var SuperuserReservedZero = check.Check{
	ID:       "superuser_reserved_zero",
	Area:     check.Connections,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "No connection is kept for the superuser",
	Why: "When the applications have taken all connections nobody can log in to see what happens or to end a " +
		"session. The only way out is then to " +
		"restart the server or to kill processes of it.",
	Do: "Set superuser_reserved_connections = 3, the default, and restart at the next opportunity. From 16 on " +
		"reserved_connections keeps some for roles of monitoring as well.",
	Sources: []string{"pg-config-connection"},
	Judge: func(c *check.Case) {
		if v, ok := c.Setting("superuser_reserved_connections"); ok && v == "0" {
			c.Found("superuser_reserved_connections = 0.")
		}
	},
}
