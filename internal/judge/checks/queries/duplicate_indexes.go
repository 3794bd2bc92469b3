package queries

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// DuplicateIndexes are the same in everything: columns, order, collation,
// operator class, expressions, condition. An index whose columns begin another
// one is none, as it is smaller and may be worth that.
var DuplicateIndexes = check.Check{
	ID:       "duplicate_indexes",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Duplicate indexes",
	Why: "Duplicate indexes have the same columns, order, collation, operator classes, expressions and " +
		"predicate. The planner needs only one of them, but writes and VACUUM maintain both, and both take " +
		"space in shared_buffers. Often one was created manually on the column of a primary key or UNIQUE " +
		"constraint, which has its own index.",
	Do: "Drop the index that is named first: DROP INDEX CONCURRENTLY SCHEMA.INDEX;\nThis does not block writes, " +
		"and it cannot run inside a transaction block. The other index backs the constraint or is equivalent, so " +
		"usage statistics are not needed for this decision.",
	Sources: []string{"pg-create-index", "pg-system-views"},
	Judge: func(c *check.Case) {
		list, ok := check.InDatabases(c, "duplicates", c.Instance.Server.Deep.Duplicates)
		if !ok || len(list) == 0 {
			return
		}
		var found check.ByDatabase
		for _, x := range list {
			found.Add(c, x.In, "{index} on {table} ({size}) duplicates {kept}", "index", x.Schema+"."+x.Name,
				"table",
				x.Table, "size", unit.Bytes(x.Pages)*blockSize, "kept", x.Kept)
		}
		c.Found("{found}.", "found", found.List(", "))
	},
}
