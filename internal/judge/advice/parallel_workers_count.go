package advice

// ParallelWorkersCount: compute_parallel_worker adds a worker for each factor of three above the threshold.
var ParallelWorkersCount = Page{
	ID:    "parallel-workers-count",
	Kind:  Advice,
	Title: "How many workers a scan gets",
	Names: []string{"min_parallel_table_scan_size", "min_parallel_index_scan_size", "parallel_setup_cost", "parallel_leader_participation"},
	Text: []string{
		"A table of min_parallel_table_scan_size (8 MB) is planned with one worker, and with one more each time the size triples: 24 MB " +
			"two, 72 MB three; indexes count from 512 kB. max_parallel_workers_per_gather bounds it for a node, max_parallel_workers for all " +
			"sessions, max_worker_processes for the server.",
		"Starting workers costs parallel_setup_cost (1000), so short queries do without. The leader works too; switch " +
			"parallel_leader_participation off for a query where it is the one that everybody waits for. Every worker may take work_mem in " +
			"each node.",
	},
	Verify:  "EXPLAIN ANALYZE: Workers Planned and Workers Launched.",
	Sources: []string{"pg-config-query", "pg-source-parallel", "dalibo-j1"},
	See:     []string{"pg:max_parallel_workers_per_gather", "pg:max_parallel_workers", "pg:max_worker_processes", "workers-that-nest"},
}
