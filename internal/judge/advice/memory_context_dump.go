package advice

// MemoryContextDump: the dump goes out by fprintf on stderr, seen on a live 15.
var MemoryContextDump = Page{
	ID:    "memory-context-dump",
	Kind:  Advice,
	Title: "The memory contexts are printed before the error",
	Names: []string{"out_of_memory", "memory_context", "grand_total", "topmemorycontext", "executorstate"},
	Text: []string{
		"When a backend gets no memory it prints all of its memory contexts on stderr and then raises ERROR: out of memory with DETAIL: " +
			"Failed on request of size … in memory context …. The dump has no log_line_prefix. It is lost where only syslog is read and " +
			"stderr is not captured: keep logging_collector on, or let systemd keep stderr.",
		"Read it from the largest: ExecutorState is the running plan, CacheMemoryContext many tables or prepared plans, MessageContext a " +
			"huge statement. Grand total says whether this process was large at all or only the last to ask.",
	},
	Verify:  "SELECT * FROM pg_backend_memory_contexts; from 14 on, and pg_log_backend_memory_contexts(pid) for another process.",
	Sources: []string{"pg-config-logging", "dalibo-j1", "pgfettle-measured"},
	See:     []string{"overcommit-mode-2", "pg:work_mem"},
}
