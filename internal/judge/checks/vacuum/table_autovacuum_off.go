package vacuum

import "github.com/pgfettle/pgfettle/internal/judge/check"

// TableAutovacuumOff is a notice while the table is clean: it may be one that is
// loaded once and then read. With enough dead rows to trigger autovacuum, it is a
// warning.
var TableAutovacuumOff = check.Check{
	ID:       "table_autovacuum_off",
	Area:     check.Vacuum,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Autovacuum disabled for large tables",
	Why: "autovacuum_enabled = off is often set for a load and then forgotten. Dead rows stay, statistics become " +
		"outdated, and index-only scans must read the table. The forced vacuum against wraparound still runs, " +
		"late and over the whole table.",
	Do: "1. Enable autovacuum again: ALTER TABLE SCHEMA_NAME.TABLE_NAME RESET (autovacuum_enabled);\n2. " +
		"Vacuum the table: VACUUM (ANALYZE) SCHEMA_NAME.TABLE_NAME;\n3. Keep autovacuum disabled only if a job " +
		"vacuums and analyzes the table after each load.",
	Sources:   []string{"pg-routine-vacuuming", "pg-config-autovacuum"},
	DependsOn: []string{"autovacuum_off", "track_counts_off"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		tables, ok := check.InDatabases(c, "tables", c.Instance.Server.Deep.Tables)
		if !ok {
			return
		}
		sev := check.Notice
		var found check.ByDatabase
		for _, t := range tables {
			if !t.AutovacuumOff || !large(t) {
				continue
			}
			found.Add(c, t.In, "{table} (live rows: {live}, dead rows: {dead})", "table", t.Schema+"."+t.Name, "live",
				check.Count(t.Live), "dead", check.Count(t.Dead))
			if due, ok := vacuumDue(set, t); ok && float64(t.Dead) > due {
				sev = check.Warning
			}
		}
		if found.Any() {
			c.FoundAs(sev, "{tables}.", "tables", found.List(", "))
		}
	},
}
