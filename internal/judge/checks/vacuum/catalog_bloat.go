package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// bloatedCatalog: below that a catalog fits into any shared_buffers, and is
	// read in no time.
	bloatedCatalog = 100 * unit.MB
	// bloatTimes the space that its rows take: autovacuum alone lets a table be a
	// fifth larger, and waves of temporary tables twice or three times.
	bloatTimes = 4
	// bloatHarmful: reading a gigabyte of catalog takes a new session a second.
	bloatHarmful = unit.GB
)

// catalogRow is the space of one row, as a fresh cluster of 13 to 18 has it: the
// size of each catalog by its rows, 142 to 155, 276, 62, 199 and 208 bytes,
// rounded up.
var catalogRow = map[string]unit.Bytes{"pg_attribute": 160, "pg_class": 300, "pg_depend": 64, "pg_type": 210,
	"pg_index": 210}

// CatalogBloat compares the size of the catalogs that tables leave rows in with
// what those that live would take. Dead rows that still wait for a VACUUM are
// the matter of autovacuum_lag.
var CatalogBloat = check.Check{
	ID:       "catalog_bloat",
	Area:     check.Vacuum,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "System catalogs are swollen",
	Why: "Each temporary table leaves a dozen and more dead rows in the catalogs when it goes; programs such as " +
		"1C:Enterprise make some for every query. Where a transaction that stays " +
		"open, or an autovacuum that comes too late, keeps VACUUM from reusing their space, pg_attribute and " +
		"pg_class grow to gigabytes, and every new session and every plan reads them.",
	Do: "End what holds the horizon back first (long_transactions, prepared_xacts_old, slot_retains_wal). Let " +
		"autovacuum come sooner: ALTER SYSTEM SET autovacuum_naptime = '20s'; SELECT " +
		"pg_reload_conf();. Then in a window in which nobody works VACUUM (FULL, ANALYZE) pg_catalog.pg_attribute; " +
		"and the others that are named: nobody can log in meanwhile. TRUNCATE of a temporary " +
		"table that is kept, instead of DROP and CREATE, leaves far fewer rows.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET autovacuum_naptime = '20s';"),
		check.SQL("SELECT pg_reload_conf();"),
		check.SQL("VACUUM (FULL, ANALYZE) pg_catalog.pg_attribute;"),
	},
	Sources:   []string{"pg-routine-vacuuming", "its-1c"},
	DependsOn: []string{"autovacuum_off", "track_counts_off"},
	Judge: func(c *check.Case) {
		list, ok := check.InDatabases(c, "catalogs", c.Instance.Server.Deep.Catalogs)
		if !ok {
			return
		}
		var found check.ByDatabase
		sev := check.Notice
		for _, k := range list {
			rows := max(k.Rows, float64(k.Live))
			each, known := catalogRow[k.Name]
			if !known || rows <= 0 || k.Size < bloatedCatalog {
				continue
			}
			need := each.Scale(rows)
			if k.Size < need.Scale(bloatTimes) {
				continue
			}
			if k.Size >= bloatHarmful {
				sev = check.Warning
			}
			text, pairs := say.Template("{catalog} takes {size}, and its {n} rows need {need}"), []any{"catalog",
				k.Name,
				"size", k.Size, "n", check.Count(int64(rows)), "need", need}
			if secs, ok := c.CountedForIn(k.In); ok && k.Inserted > 0 {
				text = "{catalog} takes {size}, and its {n} rows need {need}, {pace} new rows an hour"
				pairs = append(pairs, "pace", check.Count(int64(float64(k.Inserted)*3600/secs)))
			}
			found.Add(c, k.In, text, pairs...)
		}
		if found.Any() {
			c.FoundAs(sev, "{found}.", "found", found.List("; "))
		}
	},
}
