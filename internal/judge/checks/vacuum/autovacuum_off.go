package vacuum

import "github.com/pgfettle/pgfettle/internal/judge/check"

// AutovacuumOff is critical although the server still starts workers against
// wraparound: those come late and all at once. Before that, nothing removes bloat
// or refreshes statistics.
var AutovacuumOff = check.Check{
	ID:       "autovacuum_off",
	Area:     check.Vacuum,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "autovacuum is off",
	Why: "Dead rows stay in tables and indexes, which bloat without limit, and planner statistics are never " +
		"refreshed automatically. Transaction IDs are not frozen until the server forces it, with many aggressive " +
		"vacuums at once at the busiest time. Only VACUUM FULL or a rewrite returns the space of a bloated table.",
	Do: "1. Turn autovacuum on (reload): ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf();\n2. If it " +
		"disturbed the load, lower its pace instead: raise autovacuum_vacuum_cost_delay (reload).\n3. For a bulk " +
		"load, disable it for one table and enable it afterwards: ALTER TABLE TABLE_NAME SET (autovacuum_enabled = " +
		"off);",
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
