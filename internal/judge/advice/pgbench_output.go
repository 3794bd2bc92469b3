package advice

// PgbenchOutput: seen live with pgbench 15.
var PgbenchOutput = Page{
	ID:    "pgbench-output",
	Kind:  NotSo,
	Title: "pgbench tells throughput without the time to connect",
	Names: []string{"including_connections_establishing", "excluding_connections_establishing", "tps"},
	Read:  "pgbench prints tps twice, including and excluding connections establishing",
	Since: "PostgreSQL 14",
	Until: "PostgreSQL 13",
	Text: []string{
		"From 14 on it prints initial connection time and one tps (without initial connection time); with -C that line says (including " +
			"reconnection times). A parser of the old words finds nothing.",
	},
	Verify:  "pgbench -c 2 -T 5.",
	Sources: []string{"pg-bench", "dalibo-j1", "pgfettle-measured"},
	See:     []string{"benchmarks"},
}
