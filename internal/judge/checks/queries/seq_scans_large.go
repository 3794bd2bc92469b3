package queries

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// scanTable: below 100 MB a scan is milliseconds from memory.
	scanTable = 100 * unit.MB / blockSize
	// scanOften an hour are no nightly reports and backups.
	scanOften = 10
	// scanVolume an hour is 10 MB/s all day long through one table: a tenth of a
	// cloud volume, or from memory a part of a processor.
	scanVolume = 36 * unit.GB
	// scanWarning is ten times that.
	scanWarning = 360 * unit.GB
)

// SeqScansLarge looks at the 100 largest tables of each database, and goes by
// the rows that were read and not by the number of scans: of a parallel scan each
// worker counts as one, and one with LIMIT ends early. That a large
// table is scanned is right for a warehouse, which is why this is a notice up to
// the point where it is most of what the machine does.
var SeqScansLarge = check.Check{
	ID:       "seq_scans_large",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Large tables are read whole all the time",
	Why: "A query that looks for a few rows in a large table without an index on what it looks for reads all of it. " +
		"The table passes through the page cache, or shared_buffers a ring at a time, " +
		"for every execution, and each becomes slower as the table grows.",
	Do: "Find the statements: SELECT calls, rows, shared_blks_read, left(query, 100) FROM pg_stat_statements ORDER " +
		"BY shared_blks_hit + shared_blks_read DESC LIMIT 20;. Those that " +
		"return few rows from the named tables want an index on their condition (CREATE INDEX CONCURRENTLY). A " +
		"report that needs all rows is as it should be.",
	Commands: []check.Command{
		check.SQL(
			"SELECT calls, rows, shared_blks_read, left(query, 100) FROM pg_stat_statements ORDER BY " +
				"shared_blks_hit + shared_blks_read DESC LIMIT 20;"),
	},
	Sources: []string{"pg-monitoring", "pg-stat-statements"},
	Judge: func(c *check.Case) {
		tables, ok := check.InDatabases(c, "tables", c.Instance.Server.Deep.Tables)
		if !ok {
			return
		}
		var found check.ByDatabase
		sev := check.Notice
		for _, t := range tables {
			secs, ok := c.CountedForIn(t.In)
			rows := max(t.Rows, float64(t.Live))
			if !ok || t.Pages < int64(scanTable) || rows <= 0 || t.Schema == "pg_catalog" {
				continue
			}
			often := float64(t.SeqRows) / rows * 3600 / secs
			size := unit.Bytes(t.Pages) * blockSize
			volume := size.Scale(often)
			if often < scanOften || volume < scanVolume {
				continue
			}
			if volume >= scanWarning {
				sev = check.Warning
			}
			found.Add(c, t.In, "{table} ({size}) {n} times an hour, {volume} in all", "table", t.Schema+"."+t.Name,
				"size", size, "n", check.Count(int64(often+0.5)), "volume", volume)
		}
		if found.Any() {
			c.FoundAs(sev, "{found}.", "found", found.List("; "))
		}
	},
}
