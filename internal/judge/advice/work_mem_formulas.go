package advice

// WorkMemFormulas: three formulas in the sources, three assumptions; the numbers are for 16 GB, 4 GB of shared_buffers and 200 connections.
var WorkMemFormulas = Page{
	ID:    "work-mem-formulas",
	Kind:  Advice,
	Title: "No formula gives work_mem, evidence does",
	Names: []string{"work_mem_formula", "ram/max_connections"},
	Text: []string{
		"Memory divided by connections (80 MB for 16 GB and 200) is called cautious and is not: it leaves nothing for shared_buffers, the " +
			"kernel's cache, workers, and plans with several sorts. Four times the free memory divided by connections (245 MB) means memory " +
			"that was measured as free on the running system, and is meant as a start only; 200 such sorts at once are 48 GB. With active " +
			"sessions instead of connections and a divisor of 2 to 4 for plans with several nodes a formula gives the order of size.",
		"Better: log_temp_files and pg_stat_database show what spills. Raise work_mem until most of that is gone while memory stays free; " +
			"10 to 100 MB is usual for a server's default. Above that the query is the problem, or one role needs its own value: ALTER ROLE … " +
			"SET, ALTER DATABASE … SET, or SET in the session.",
	},
	Verify:  "SELECT datname, temp_files, temp_bytes FROM pg_stat_database; and temp_blks_written of pg_stat_statements.",
	Sources: []string{"pg-config-resource", "dalibo-j1", "article-1c", "thebuild-work-mem"},
	See:     []string{"pg:work_mem", "temp_files", "pg:log_temp_files", "work_mem_vs_memory"},
}
