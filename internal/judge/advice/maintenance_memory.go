package advice

// MaintenanceMemory: the 1 GB cap of dead tuples ends with the radix tree of 17.
var MaintenanceMemory = Page{
	ID:    "maintenance-memory",
	Kind:  NotSo,
	Title: "maintenance_work_mem: hundreds of megabytes, and no cap of 1 GB for VACUUM since 17",
	Names: []string{"maintenance_work_mem_1gb", "largest_index", "dead_tuples", "tidstore"},
	Read:  "above 1 GB maintenance_work_mem serves index builds only, or that it should be as large as the largest index",
	Since: "PostgreSQL 17",
	Until: "PostgreSQL 16",
	Text: []string{
		"Up to 16 VACUUM used at most 1 GB for the list of dead rows. Since 17 the list is a radix tree without that bound that takes " +
			"about a twentieth of the memory, so VACUUM seldom needs much.",
		"The size of an index is no measure: a sort that spills is nearly as fast, and ANALYZE takes next to nothing. 64 MB to 2 GB is " +
			"right. The limit is for one command, shared by its parallel workers, each of which wants 32 MB for an index build; but " +
			"autovacuum takes it once for each worker, so set autovacuum_work_mem apart when it is large.",
	},
	Verify: "VACUUM (VERBOSE) on a large table tells the number of index scans: more than one means that it was too small. Up to 16 watch " +
		"pg_stat_progress_vacuum as well.",
	Sources: []string{"pg-config-resource", "pg-release-notes", "dalibo-j1", "article-1c"},
	See:     []string{"pg:maintenance_work_mem", "pg:autovacuum_work_mem", "pg:max_parallel_maintenance_workers"},
}
