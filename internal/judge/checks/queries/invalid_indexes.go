package queries

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// blockSize is that of every packaged server.
const blockSize = 8 * unit.KB

// InvalidIndexes leaves out those that are being built now.
var InvalidIndexes = check.Check{
	ID:       "invalid_indexes",
	Area:     check.Query,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Indexes are invalid",
	Why: "A CREATE INDEX or REINDEX CONCURRENTLY that failed or was cancelled leaves its index behind. No query " +
		"uses it, and every change of the table still has to maintain it; a unique one " +
		"does not warrant that the values that were there before are unique.",
	Do: "Build it again: REINDEX INDEX CONCURRENTLY schema.name; (for a unique index remove the duplicates first). " +
		"If its name ends in _ccnew or _ccold a REINDEX left it: DROP INDEX " +
		"CONCURRENTLY schema.name;.",
	Sources: []string{"pg-create-index", "dalibo-j1"},
	Judge: func(c *check.Case) {
		list, ok := check.InDatabases(c, "indexes", c.Instance.Server.Deep.Indexes)
		if !ok || len(list) == 0 {
			return
		}
		var found check.ByDatabase
		for _, x := range list {
			found.Add(c, x.In, "{index} on {table} ({size})", "index", x.Schema+"."+x.Name, "table", x.Table, "size",
				unit.Bytes(x.Pages)*blockSize)
		}
		c.Found("{indexes}.", "indexes", found.List(", "))
	},
}
