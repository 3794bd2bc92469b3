package queries

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TablesNeverAnalyzed looks for tables without any row in pg_statistic, and not
// at the time of the last ANALYZE, which a crash before 15 and a reset of the
// statistics forget. The query leaves out what has fewer than 10,000 rows: for
// those the planner's assumptions seldom choose a plan that hurts.
var TablesNeverAnalyzed = check.Check{
	ID:       "tables_never_analyzed",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Tables have no planner statistics",
	Why: "Without statistics the planner takes fixed shares for every condition, and its estimates can be wrong by " +
		"orders of magnitude: nested loops over millions of rows, hashes that spill. " +
		"It comes from an upgrade (pg_upgrade before 18 leaves the statistics behind), from tables that autovacuum " +
		"does not visit, and from partitioned " +
		"tables as a whole, of which it visits only the partitions.",
	Do: "Run ANALYZE schema.table; for the named ones, or vacuumdb --all --analyze-in-stages after an upgrade. Let " +
		"a job run ANALYZE on partitioned tables after large loads, for instance " +
		"once a week.",
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
