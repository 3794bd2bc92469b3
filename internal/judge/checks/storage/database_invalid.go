package storage

import "github.com/pgfettle/pgfettle/internal/judge/check"

// DatabaseInvalid tells of databases that nobody can connect to any more.
var DatabaseInvalid = check.Check{
	ID:       "database_invalid",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "A database was left behind by an interrupted DROP DATABASE",
	Why: "DROP DATABASE that is cancelled, or that a crash ends, leaves a database whose files are partly gone. " +
		"Nobody can connect to it, what is left of it takes space, no VACUUM freezes it any " +
		"more, pg_upgrade fails on it, and pg_dumpall passes it over.",
	Do:      "DROP DATABASE name; again. It is the only thing that can be done with it: its data is not whole.",
	Sources: []string{"pg-release-notes"},
	Judge: func(c *check.Case) {
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		var told []string
		for _, d := range dbs {
			if d.Invalid() {
				told = append(told, d.Name)
			}
		}
		if len(told) > 0 {
			c.Found("Invalid: {names}.", "names", check.Join(told, ", ", 5))
		}
	},
}
