package advice

// EffectiveCacheSize: Cached of /proc/meminfo contains Shmem, and shared_buffers on ordinary pages is Shmem.
var EffectiveCacheSize = Page{
	ID:    "effective-cache-size",
	Kind:  NotSo,
	Title: "effective_cache_size: both caches together, each counted once",
	Names: []string{"effective_cache_size_formula", "buffers_+_cached", "two_thirds"},
	Read: "effective_cache_size is buffers plus cached of free with shared_buffers added, or the size of the biggest object that fits in " +
		"the system's cache, or that 6 GB of 8 GB are two thirds",
	Text: []string{
		"It tells the planner how much cache one query may count on, shared_buffers and the kernel's cache together; nothing is " +
			"allocated. Half to three quarters of the memory of a dedicated server is right (6 of 8 GB are three quarters).",
		"The column cached already holds shared_buffers where they lie on ordinary pages, as they are shared memory, so adding them " +
			"counts twice. From a running machine: Cached + Buffers − Shmem + shared_buffers; with huge pages, which are not in Cached, the " +
			"same sum is right.",
	},
	Verify:  "grep -E '^(Cached|Buffers|Shmem):' /proc/meminfo.",
	Sources: []string{"pg-config-query", "linux-proc", "dalibo-j1", "article-1c"},
	See:     []string{"pg:effective_cache_size", "free-output"},
}
