package durability

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// CollationMismatch is for the default collation of databases, whose version is
// recorded since 15.
var CollationMismatch = check.Check{
	ID:       "collation_mismatch",
	Area:     check.Durability,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	From:     15,
	Title:    "Collation version mismatch: indexes may be corrupt",
	Why: "Indexes on text are sorted by the library (glibc or ICU) that was in use when they were written. After " +
		"an operating system upgrade, or on a standby or copy with another library version, strings can sort " +
		"differently. Then index searches can miss existing rows, unique indexes can accept duplicates, and rows " +
		"can be in the wrong partition.",
	Do: "1. In each database named, rebuild the indexes (writes continue): REINDEX DATABASE CONCURRENTLY " +
		"DATABASE_NAME;\n" +
		"2. If a unique index cannot be rebuilt, remove the duplicate rows and repeat step 1.\n" +
		"3. Only then record the new version: ALTER DATABASE DATABASE_NAME REFRESH COLLATION VERSION;\n" +
		"If done first, step 3 only silences the warning. Only indexes on text, varchar, char and types that " +
		"contain them are affected; bt_index_check (amcheck) finds those that are out of order.",
	Sources: []string{"pg-alter-database"},
	Judge: func(c *check.Case) {
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		var told []string
		for _, d := range dbs {
			if d.CollationMismatch && d.AllowConn {
				told = append(told, d.Name)
			}
		}
		if len(told) > 0 {
			c.Found("The recorded collation version differs from the library version in: {names}.", "names",
				say.Names(told, 5))
		}
	},
}
