package queries

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TablesNeverAnalyzed looks for tables without any row in pg_statistic, and not at the time of the last ANALYZE, which
// a crash before 15 and a reset of the statistics forget. The query omits what has fewer than 10,000 rows: for those
// the planner's assumptions seldom choose a plan that hurts.
var TablesNeverAnalyzed = check.Check{
	ID:       "tables_never_analyzed",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Tables without planner statistics (never analyzed)",
	Why: "The planner uses fixed default selectivities for a table without statistics. Its estimates can be " +
		"wrong by orders of magnitude, which causes nested loops over millions of rows and hashes that spill. " +
		"Typical causes are pg_upgrade to 17 or earlier, which does not keep statistics, and tables that " +
		"autovacuum does not process. Autovacuum analyzes partitions, but not the partitioned table as a whole.",
	Do: "Analyze the named tables: ANALYZE SCHEMA.TABLE;\nAfter an upgrade, run vacuumdb --all " +
		"--analyze-in-stages as the owner of the server. For partitioned tables, schedule ANALYZE after large loads, " +
		"or for example once a week.",
	Sources:   []string{"pg-routine-vacuuming"},
	DependsOn: []string{"autovacuum_off", "track_counts_off"},
	Judge: func(c *check.Case) {
		list, ok := check.InDatabases(c, "unanalyzed", c.Instance.Server.Deep.Unanalyzed)
		if !ok || len(list) == 0 {
			return
		}
		var found check.ByDatabase
		for _, t := range list {
			text := say.Template("{table} (about {n} rows)")
			if t.Partitioned {
				text = "{table} (about {n} rows, partitioned)"
			}
			found.Add(c, t.In, text, "table", t.Schema+"."+t.Name, "n", check.Count(t.Rows))
		}
		c.Found("{tables}.", "tables", found.List(", "))
	},
}
