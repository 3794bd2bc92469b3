package queries

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// unusedSince: a month includes a month's end, and a quarterly job can build its
	// own index.
	unusedSince = 30 * 24 * 3600
	// unusedNotice in total justifies a notice; less is information.
	unusedNotice = unit.GB
)

// UnusedIndexes skips standbys, whose indexes are the primary's, and databases whose
// statistics are younger than a month. The query skips indexes that enforce something
// and those below 10 MB.
var UnusedIndexes = check.Check{
	ID:       "unused_indexes",
	Area:     check.Query,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Unused indexes",
	Why: "Every INSERT and most UPDATEs write to each index of the table, which costs WAL and full-page " +
		"images. An index on an updated column usually also prevents heap-only tuple (HOT) updates. VACUUM " +
		"reads indexes completely, and they take space in shared_buffers. An index that no query reads has " +
		"only costs.",
	Do: "Check pg_stat_user_indexes.idx_scan on every standby too, because each server counts its own scans. " +
		"Verify that no rare report needs the index, such as a yearly one. Save the definition: SELECT " +
		"pg_get_indexdef('SCHEMA.INDEX'::regclass);\nThen drop the index without blocking writes: DROP INDEX " +
		"CONCURRENTLY SCHEMA.INDEX;",
	Sources: []string{"pg-monitoring", "pg-system-views"},
	Judge: func(c *check.Case) {
		if standby, ok := check.Need(c, c.Instance.Server.Recovery); !ok || standby {
			return
		}
		list, ok := check.InDatabases(c, "unused", c.Instance.Server.Deep.Unused)
		if !ok {
			return
		}
		twice, _ := c.Instance.Server.Deep.Duplicates.Get()
		var found check.ByDatabase
		var sum unit.Bytes
		var least float64
		for _, x := range list {
			if slices.ContainsFunc(twice, func(d pg.Duplicate) bool {
				return d.In == x.In && d.Schema == x.Schema && d.Name == x.Name
			}) {
				continue // reported by duplicate_indexes, which needs no usage statistics
			}
			secs, ok := c.CountedForIn(x.In)
			if !ok || secs < unusedSince {
				continue
			}
			if least == 0 || secs < least {
				least = secs
			}
			size := unit.Bytes(x.Pages) * blockSize
			sum += size
			found.Add(c, x.In, "{index} on {table} ({size})", "index", x.Schema+"."+x.Name, "table", x.Table, "size",
				size)
		}
		if !found.Any() {
			return
		}
		sev := check.Info
		if sum >= unusedNotice {
			sev = check.Notice
		}
		c.FoundAs(sev, "{found}. Total: {sum}; no scans for at least {since}.", "found", found.List(", "), "sum",
			sum, "since", say.Span(least))
	},
}
