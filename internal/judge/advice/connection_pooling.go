package advice

// ConnectionPooling: the cost of -C was measured in the sources as two thirds of the throughput.
var ConnectionPooling = Page{
	ID:    "connection-pooling",
	Kind:  Advice,
	Title: "A pooler where connections are many or short",
	Names: []string{"pgbouncer", "pooler", "pooling", "pgbench_-c", "connection_age", "pgcat", "odyssey"},
	Text: []string{
		"A new connection is a new process with empty caches: connecting for every transaction costs about two thirds of the throughput " +
			"in a simple benchmark. When connections live less than a minute, or there are several hundred of them, put a pooler before the " +
			"server, transaction pooling where the application allows it. Fewer backends also mean fewer page tables.",
		"Other small savings of the same kind: log_hostname off, prepared transactions only where something commits them, and indexes " +
			"that failed to build dropped.",
	},
	Verify: "SELECT backend_start FROM pg_stat_activity WHERE backend_type = 'client backend'; sessions of pg_stat_database (14 and later) " +
		"grow by how many a second?",
	Sources: []string{"pg-config-connection", "pg-bench", "dalibo-j1", "blog-page-tables"},
	See:     []string{"connections_near_limit", "pg:max_connections", "page_tables_large", "idle-connections-cost"},
}
