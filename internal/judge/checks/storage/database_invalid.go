package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// DatabaseInvalid finds databases that no session can connect to any more.
var DatabaseInvalid = check.Check{
	ID:       "database_invalid",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Invalid database left by an interrupted DROP DATABASE",
	Why: "A DROP DATABASE that was canceled, or interrupted by a crash, leaves a database with part of its files " +
		"removed. No session can connect to it, and its remaining files take space. VACUUM and pg_dumpall skip " +
		"it, and pg_upgrade fails.",
	Do:      "Drop it again; its data is incomplete and cannot be used: DROP DATABASE DATABASE_NAME;",
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
			c.Found("Invalid databases: {names}.", "names", say.Names(told, 5))
		}
	},
}
