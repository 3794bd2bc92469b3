package check

// TableAutovacuumOff is a notice while the table is clean: it may be one that is
// loaded once and read. With dead rows enough for autovacuum to come it is a
// warning.
var TableAutovacuumOff = Check{
	ID:       "table_autovacuum_off",
	Area:     Vacuum,
	Severity: Notice,
	Scope:    PerInstance,
	Title:    "Autovacuum is off for large tables",
	Why: "autovacuum_enabled = off of a table was most often meant for a load and then forgotten. Its dead rows stay, its statistics grow old, and its index-only scans read the table; " +
		"the forced vacuum against wraparound comes all the same, late and over the whole table.",
	Do:        "ALTER TABLE schema.name RESET (autovacuum_enabled); then VACUUM (ANALYZE) schema.name;. Keep it off only where a job vacuums and analyzes the table after each load.",
	Sources:   []string{"pg-routine-vacuuming", "pg-config-autovacuum"},
	DependsOn: []string{"autovacuum_off", "track_counts_off"},
	Judge: func(c *Case) {
		set, ok := Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		tables, ok := ofDatabases(c, "tables", c.Instance.Server.Deep.Tables)
		if !ok {
			return
		}
		sev := Notice
		var found byDatabase
		for _, t := range tables {
			if !t.AutovacuumOff || !large(t) {
				continue
			}
			found.add(c, t.In, "%s.%s (%s live and %s dead rows)", t.Schema, t.Name, count(t.Live), count(t.Dead))
			if due, ok := vacuumDue(set, t); ok && float64(t.Dead) > due {
				sev = Warning
			}
		}
		if found.any() {
			c.FoundAs(sev, "{tables}.", "tables", found.list(", "))
		}
	},
}
