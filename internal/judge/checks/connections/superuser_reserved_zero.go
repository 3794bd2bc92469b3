package connections

import "github.com/pgfettle/pgfettle/internal/judge/check"

// SuperuserReservedZero has one line only: none is too few, and how many more
// than one are kept is a matter of taste.
var SuperuserReservedZero = check.Check{
	ID:       "superuser_reserved_zero",
	Area:     check.Connections,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "superuser_reserved_connections = 0",
	Why: "When applications use all connections, no superuser can log in to find the cause or to terminate a " +
		"session. The only way out is then to restart the server or to terminate server processes on the host.",
	Do: "Set superuser_reserved_connections = 3 (the default), and restart at the next opportunity. In 16 and " +
		"later, reserved_connections also keeps slots for roles with pg_use_reserved_connections, for example " +
		"for monitoring.",
	Sources: []string{"pg-config-connection"},
	Judge: func(c *check.Case) {
		if v, ok := c.Setting("superuser_reserved_connections"); ok && v == "0" {
			c.Found("superuser_reserved_connections = 0.")
		}
	},
}
