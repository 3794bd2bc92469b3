package queries

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// scanTable: below 100 MB a scan is milliseconds from memory.
	scanTable = 100 * unit.MB / blockSize
	// scanOften per hour is more than nightly reports and backups.
	scanOften = 10
	// scanVolume per hour is 10 MB/s all day long for one table: a tenth of a cloud
	// volume, or from memory a part of a CPU.
	scanVolume = 36 * unit.GB
	// scanWarning is ten times that.
	scanWarning = 360 * unit.GB
)

// SeqScansLarge looks at the 100 largest tables of each database, and goes by
// the rows that were read and not by the number of scans: of a parallel scan each
// worker counts as one, and one with LIMIT ends early. That a large
// table is scanned is right for a warehouse, which is why this is a notice up to
// the point where it is most of the load of the host.
var SeqScansLarge = check.Check{
	ID:       "seq_scans_large",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Frequent sequential scans of large tables",
	Why: "A query that needs few rows of a large table, but finds no suitable index, reads the whole table. At " +
		"each execution the table passes through the page cache, or through a small ring buffer in " +
		"shared_buffers. Each execution becomes slower as the table grows. In a data warehouse, full scans are " +
		"normal.",
	Do: "Find the statements: SELECT calls, rows, shared_blks_read, left(query, 100) FROM pg_stat_statements ORDER " +
		"BY shared_blks_hit + shared_blks_read DESC LIMIT 20;\nFor statements that return few rows of the named " +
		"tables, create an index on their condition with CREATE INDEX CONCURRENTLY, which does not block writes. A " +
		"report that needs all rows needs no index.",
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
			found.Add(c, t.In, "{table} ({size}): {n} full reads per hour, {volume} per hour", "table", t.Schema+"."+
				t.Name,
				"size", size, "n", check.Count(int64(often+0.5)), "volume", volume)
		}
		if found.Any() {
			c.FoundAs(sev, "{found}.", "found", found.List("; "))
		}
	},
}
