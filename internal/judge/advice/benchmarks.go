package advice

// Benchmarks: a run shorter than checkpoint_timeout never sees a checkpoint's cost in full.
var Benchmarks = Page{
	ID:    "benchmarks",
	Kind:  Advice,
	Title: "A benchmark larger than memory and longer than a checkpoint",
	Names: []string{"pgbench", "benchmark", "pgbench_-f"},
	Text: []string{
		"The database must exceed the memory when disks are meant to be measured, and a run must contain several checkpoints. Repeat " +
			"runs, alternate the variants, and tell the spread. Several scripts given with -f are chosen at random for each transaction, by " +
			"their weights; a statement may stand on several lines since 9.6.",
		"Do not measure with fsync = off: it is several times faster, and what was measured is the page cache.",
	},
	Verify:  "pgbench -i -s 1000; pgbench -c 16 -j 4 -T 1800 -P 60.",
	Sources: []string{"pg-bench", "dalibo-j1"},
	See:     []string{"fsync_off", "pgbench-output"},
}
