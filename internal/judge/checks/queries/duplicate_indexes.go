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
	Title:    "Indexes are there twice",
	Why: "Two indexes that are the same are both written at every change, both vacuumed and both kept in memory, " +
		"and the planner needs one. Most often one was made by hand on the column of a " +
		"primary key or UNIQUE constraint, which has its own.",
	Do: "DROP INDEX CONCURRENTLY schema.name; for the one that is named first: the other has the constraint, " +
		"or is as good. No statistics are needed to know that it is not missed.",
	Sources: []string{"pg-create-index", "pg-system-views"},
	Judge: func(c *check.Case) {
		list, ok := check.InDatabases(c, "duplicates", c.Instance.Server.Deep.Duplicates)
		if !ok || len(list) == 0 {
			return
		}
		var found check.ByDatabase
		for _, x := range list {
			found.Add(c, x.In, "{index} on {table} ({size}) is the same as {kept}", "index", x.Schema+"."+x.Name,
				"table",
				x.Table, "size", unit.Bytes(x.Pages)*blockSize, "kept", x.Kept)
		}
		c.Found("{found}.", "found", found.List(", "))
	},
}
