package advice

// IdleConnectionsCost: catalog and plan caches of a backend grow with the tables and functions it has touched and are never given back.
var IdleConnectionsCost = Page{
	ID:    "idle-connections-cost",
	Kind:  Advice,
	Title: "Connections cost memory while they do nothing",
	Names: []string{"idle_connections", "catcache", "connection_memory"},
	Text: []string{
		"What ends in an out-of-memory is nearly always one of four: memory settings that were sized for another machine, a large " +
			"work_mem for everybody, hundreds of connections, or other programs on the host. An idle connection holds its catalog and plan " +
			"caches (megabytes, tens of them with many tables or partitions) and its page tables.",
	},
	Verify:  "SELECT sum(total_bytes) FROM pg_backend_memory_contexts; in a session that is hours old.",
	Sources: []string{"percona-huge-pages", "pg-config-connection"},
	See:     []string{"work_mem_vs_memory", "page_tables_large", "connection-pooling", "pg:max_connections"},
}
