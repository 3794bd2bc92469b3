package advice

// PgtuneOldValues: the current program was read at its state of July 2026.
var PgtuneOldValues = Page{
	ID:    "pgtune-old-values",
	Kind:  NotSo,
	Title: "Values of pgtune from an older document are of older formulas",
	Names: []string{"pgtune", "max_worker_processes=2", "checkpoint_completion_target=0.7"},
	Read: "pgtune's values for 8 GB (max_worker_processes 2, work_mem 10485kB or 6990kB, max_wal_size 2 to 4 GB) or 32 GB (work_mem " +
		"26214kB, max_wal_size 8 GB) are good as they stand",
	Since: "the formulas that pgtune has now (2026)",
	Text: []string{
		"Its present formula divides what shared_buffers leave by connections plus workers, times 3, with at least 4 MB; max_wal_size is " +
			"4 GB for web, 8 for OLTP and 16 for warehouses; the completion target is 0.9, and huge_pages is try from 2 GB on. " +
			"max_worker_processes below 8 takes workers away from logical replication and extensions and should never be set. wal_buffers of " +
			"16 MB is what the server takes by itself, no increase.",
		"A generator of this kind sees four numbers. It is a start for a server that nobody has looked at.",
	},
	Verify:  "pgfettle plan on the host shows each value with its reason.",
	Sources: []string{"pgtune", "dalibo-j1"},
	See:     []string{"pg:work_mem", "pg:max_worker_processes", "pg:max_wal_size", "pg:checkpoint_completion_target", "pg:huge_pages", "sizing-tools"},
}
