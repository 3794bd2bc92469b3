package vacuum

import "github.com/pgfettle/pgfettle/internal/judge/check"

// AutovacuumOff is critical although the server still starts workers against
// wraparound: those come late, all at once, and do nothing against bloat or
// for statistics before.
var AutovacuumOff = check.Check{
	ID:       "autovacuum_off",
	Area:     check.Vacuum,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "autovacuum is off",
	Why: "Dead rows stay in tables and indexes, which grow without bound; planner statistics are never refreshed, " +
		"so plans go wrong as the " +
		"data changes; transaction ids are not frozen until the server is forced to, with many aggressive vacuums " +
		"at once in the busiest " +
		"moment. Space that a table has once taken comes back only with VACUUM FULL or a rewrite.",
	Do: "Run ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf();. For a bulk load switch it off for the one " +
		"table " +
		"(ALTER TABLE … SET (autovacuum_enabled = off)) and on again afterwards. If it disturbed the load, lower " +
		"its pace with " +
		"autovacuum_vacuum_cost_delay instead.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET autovacuum = on;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Judge: func(c *check.Case) {
		if v, ok := c.Setting("autovacuum"); ok && v == "off" {
			c.Found("autovacuum = off for the whole server.")
		}
	},
}
