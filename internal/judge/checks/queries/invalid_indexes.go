package queries

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// blockSize is that of every packaged server.
const blockSize = 8 * unit.KB

// InvalidIndexes omits those that are being built now.
var InvalidIndexes = check.Check{
	ID:       "invalid_indexes",
	Area:     check.Query,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Invalid indexes",
	Why: "A CREATE INDEX CONCURRENTLY or REINDEX CONCURRENTLY that fails or is canceled leaves an invalid " +
		"index behind. No query uses it, but changes of the table usually still maintain it. An invalid unique " +
		"index does not guarantee that existing values are unique.",
	Do: "If the name ends in _ccnew or _ccold (or with a number after it), a failed REINDEX left the index. " +
		"Drop it: DROP INDEX CONCURRENTLY SCHEMA.INDEX;\nOtherwise rebuild it: REINDEX INDEX CONCURRENTLY " +
		"SCHEMA.INDEX;\nFor a unique index, remove duplicate rows first. Neither command blocks writes, and neither " +
		"can run inside a transaction block.",
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
