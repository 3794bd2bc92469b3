package vacuum

import "github.com/pgfettle/pgfettle/internal/judge/check"

// TableAutovacuumOff is a notice while the table is clean: it may be one that is
// loaded once and read. With dead rows enough for autovacuum to come it is a
// warning.
var TableAutovacuumOff = check.Check{
	ID:       "table_autovacuum_off",
	Area:     check.Vacuum,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Autovacuum is off for large tables",
	Why: "autovacuum_enabled = off of a table was most often meant for a load and then forgotten. Its dead rows " +
		"stay, its statistics grow old, and its index-only scans read the table; " +
		"the forced vacuum against wraparound comes all the same, late and over the whole table.",
	Do: "ALTER TABLE schema.name RESET (autovacuum_enabled); then VACUUM (ANALYZE) schema.name;. Keep it off " +
		"only where a job vacuums and analyzes the table after each load.",
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
			found.Add(c, t.In, "{table} ({live} live and {dead} dead rows)", "table", t.Schema+"."+t.Name, "live",
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
