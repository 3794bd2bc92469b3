package advice

// WorkersThatNest: max_parallel_workers takes its processes out of max_worker_processes.
var WorkersThatNest = Page{
	ID:    "workers-that-nest",
	Kind:  Advice,
	Title: "max_worker_processes is never below 8",
	Names: []string{"max_worker_processes_2", "background_workers"},
	Text: []string{
		"Parallel queries, logical replication and extensions share max_worker_processes, which needs a restart; the others can be set in " +
			"a session. Below the default of 8 something goes without, silently. On a standby it must be at least what the primary has, or " +
			"the standby stops.",
	},
	Verify:  "SELECT backend_type, count(*) FROM pg_stat_activity GROUP BY 1;",
	Sources: []string{"pg-config-resource", "pg-config-replication", "dalibo-j1"},
	See:     []string{"pg:max_worker_processes", "pg:max_parallel_workers", "parallel-workers-count"},
}
