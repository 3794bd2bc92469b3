package advice

// CoresAndQueries: the count of active sessions is what a run queue and a pooler are measured against.
var CoresAndQueries = Page{
	ID:    "cores-and-queries",
	Kind:  Advice,
	Title: "How many cores the queries need",
	Names: []string{"cores", "cpu_count", "vcpu"},
	Text: []string{
		"Each connection is a process of its own, and a query runs on one core unless its plan has parallel workers. Workers serve reads, " +
			"the reading part of CREATE TABLE AS and of REFRESH MATERIALIZED VIEW, index builds (B-tree; BRIN from 17, GIN from 18) and the " +
			"index part of VACUUM.",
		"There is no honest number of queries for one core: a session that waits for a lock, a disk or its client needs none. Count the " +
			"active sessions at the busy hour and hold them against the cores; a run queue or a CPU pressure that stays above zero says that " +
			"there are too few.",
	},
	Verify:  "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'; and the lines of /proc/pressure/cpu.",
	Sources: []string{"pg-config-resource", "linux-psi", "dalibo-j1"},
	See:     []string{"pg:max_parallel_workers", "pg:max_parallel_workers_per_gather"},
}
