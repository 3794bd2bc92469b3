package advice

// ParallelMaintenance: BRIN builds are parallel from 17, GIN from 18; autovacuum's own workers come with 19.
var ParallelMaintenance = Page{
	ID:    "parallel-maintenance",
	Kind:  Advice,
	Title: "Which maintenance runs in parallel",
	Names: []string{"parallel_create_index", "parallel_vacuum"},
	Text: []string{
		"Index builds: B-tree from 11, BRIN from 17, GIN from 18. VACUUM works on several indexes at once from 13, but only when a person " +
			"runs it; autovacuum does so from 19 on. maintenance_work_mem is the limit of the whole command, shared by its workers, and an " +
			"index build takes only as many as get 32 MB each.",
	},
	Verify:  "CREATE INDEX under log_min_messages = debug1 tells the workers; VACUUM (VERBOSE, PARALLEL 2).",
	Sources: []string{"pg-config-resource", "pg-release-notes", "dalibo-j1"},
	See:     []string{"pg:max_parallel_maintenance_workers", "pg:maintenance_work_mem"},
}
