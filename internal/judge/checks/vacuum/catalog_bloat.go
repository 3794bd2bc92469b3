package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// bloatedCatalog: below that, a catalog fits into any shared_buffers, and
	// reading it is fast.
	bloatedCatalog = 100 * unit.MB
	// bloatTimes is a multiple of the space of the rows: with autovacuum alone a table is
	// up to 20% larger, and with waves of temporary tables two or three times.
	bloatTimes = 4
	// bloatHarmful: a new session needs a second to read 1 GB of catalog.
	bloatHarmful = unit.GB
)

// catalogRow is the space of one row, as a fresh cluster of 13 to 18 has it: the
// size of each catalog by its rows, 142 to 155, 276, 62, 199 and 208 bytes,
// rounded up.
var catalogRow = map[string]unit.Bytes{"pg_attribute": 160, "pg_class": 300, "pg_depend": 64, "pg_type": 210,
	"pg_index": 210}

// ofOneC is added for 1C. Settings of one catalog need allow_system_table_mods, and pg_upgrade loses them.
const ofOneC = "5. For 1C, plan with its profile (this changes nothing). Its autovacuum_naptime = 20s and " +
	"autovacuum_vacuum_scale_factor = 0.01 apply to the catalogs, too: pgfettle plan --profile 1c\n" +
	"Do not set storage parameters of catalogs for that: they require allow_system_table_mods, and an upgrade loses " +
	"them."

// CatalogBloat compares the size of the catalogs that describe tables with
// the space of their live rows. Dead rows that still wait for VACUUM are
// reported by autovacuum_lag.
var CatalogBloat = check.Check{
	ID:       "catalog_bloat",
	Area:     check.Vacuum,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "System catalog bloat",
	Why: "Each temporary table leaves a dozen or more dead rows in the catalogs when it is dropped; applications " +
		"such as 1C:Enterprise create some for every query. If a long transaction or late autovacuum keeps VACUUM " +
		"from reusing their space, pg_attribute and pg_class bloat to gigabytes. Each new session and each query " +
		"plan reads them.",
	Do: "1. First remove what holds back the xmin horizon (checks long_transactions, prepared_xacts_old, " +
		"slot_retains_wal).\n" +
		"2. Let autovacuum run more often (reload): ALTER SYSTEM SET autovacuum_naptime = '20s'; SELECT " +
		"pg_reload_conf();\n" +
		"3. In a maintenance window, rewrite each catalog named here (this blocks new connections): VACUUM (FULL, " +
		"ANALYZE) pg_catalog.pg_attribute;\n" +
		"4. In the application, keep temporary tables and TRUNCATE them instead of DROP and CREATE, which leaves " +
		"far more dead rows.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET autovacuum_naptime = '20s';"),
		check.SQL("SELECT pg_reload_conf();"),
		check.SQL("VACUUM (FULL, ANALYZE) pg_catalog.pg_attribute;"),
		check.Shell("pgfettle plan --profile 1c"),
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
			text, pairs := say.Template("{catalog} is {size} for {n} rows (about {need} expected)"), []any{
				"catalog", k.Name, "size", k.Size, "n", check.Count(int64(rows)), "need", need}
			if secs, ok := c.CountedForIn(k.In); ok && k.Inserted > 0 {
				text = "{catalog} is {size} for {n} rows (about {need} expected; {pace} new rows per hour)"
				pairs = append(pairs, "pace", check.Count(int64(float64(k.Inserted)*3600/secs)))
			}
			found.Add(c, k.In, text, pairs...)
		}
		if !found.Any() {
			return
		}
		do := say.M(c.Remedy())
		_, planned := c.Profile()
		if _, seen := c.Instance.Server.OneCPlatform(); seen || planned {
			do = say.All("\n", do, say.M(ofOneC))
		}
		c.That(sev, do, say.M("{found}.", "found", found.List("; ")))
	},
}
