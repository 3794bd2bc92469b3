package advice

// PgbenchDOption: -d of pgbench 15 prints debugging output, seen here.
var PgbenchDOption = Page{
	ID:    "pgbench-d-option",
	Kind:  NotSo,
	Title: "-d of pgbench is not the database in every version",
	Names: []string{"pgbench_-d", "pgbench_-u"},
	Read:  "pgbench -U -d NAME --initialize fills the database NAME",
	Text: []string{
		"-U needs a user's name, here it would take -d for one. And -d means --debug up to 16; from 17 on it is --dbname. Write the " +
			"database as the last argument, which every version understands.",
	},
	Verify:  "pgbench --help.",
	Sources: []string{"pg-bench", "dalibo-j1", "pgfettle-measured"},
	See:     []string{"benchmarks"},
}
