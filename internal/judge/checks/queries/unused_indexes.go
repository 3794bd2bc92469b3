package queries

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// unusedSince: a month has a month's end in it, and what runs once a quarter
	// can build its index itself.
	unusedSince = 30 * 24 * 3600
	// unusedNotice together are worth a look before the next occasion; below, it
	// is good to know.
	unusedNotice = unit.GB
)

// UnusedIndexes says nothing on a standby, whose indexes are the primary's, and
// nothing of a database whose statistics are younger than a month. The query
// leaves out what upholds something and what is below 10 MB.
var UnusedIndexes = check.Check{
	ID:       "unused_indexes",
	Area:     check.Query,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Indexes are never read",
	Why: "Every row that is inserted, and most that are updated, is written into each index of its table, with WAL " +
		"and full-page images; an index on a column that is updated keeps updates " +
		"from being heap-only. VACUUM reads it whole, and it takes place in shared_buffers. One that no query reads " +
		"pays nothing back.",
	Do: "Look at pg_stat_user_indexes.idx_scan on every standby too: each counts for itself. See that it is not for " +
		"a yearly report. Then DROP INDEX CONCURRENTLY schema.name;, and keep its " +
		"definition (pg_get_indexdef) for the case that it was wanted after all.",
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
				continue // duplicate_indexes tells it, and that it can go without waiting for any statistics
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
		c.FoundAs(sev, "{found}. {sum} together, not read for {since} at least.", "found", found.List(", "), "sum",
			sum, "since", say.Span(least))
	},
}
