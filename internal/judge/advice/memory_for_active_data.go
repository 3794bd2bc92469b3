package advice

// MemoryForActiveData: the working set is a fact of the application; pg_buffercache and hit rates only hint at it.
var MemoryForActiveData = Page{
	ID:    "memory-for-active-data",
	Kind:  Advice,
	Title: "Memory holds what is read all the time",
	Names: []string{"ram", "working_set", "active_data"},
	Text: []string{
		"The part of the data that queries touch all day should fit in memory, in shared_buffers and the kernel's cache together. Data " +
			"that is read once a month need not. Growing memory until the active part fits does more than any setting.",
		"A high hit rate in pg_stat_database does not prove that it fits: blocks that come from the kernel's cache count as reads there, " +
			"and a few hot pages hit again and again hide the rest.",
	},
	Verify: "With track_io_timing on, compare the time of reads with their number: tens of microseconds a read is the kernel's cache, " +
		"hundreds or more a device.",
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	See:     []string{"pg:shared_buffers", "pg:effective_cache_size", "pg:track_io_timing"},
}
