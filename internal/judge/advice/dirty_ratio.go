package advice

// DirtyRatio: global_dirtyable_memory counts free memory and file cache, not all memory.
var DirtyRatio = Page{
	ID:    "dirty-ratio",
	Kind:  Advice,
	Title: "Limits of unwritten data are better given in bytes",
	Names: []string{"vm.dirty_ratio", "vm.dirty_background_ratio", "dirty_writeback"},
	Text: []string{
		"The two percentages are of the memory that could become dirty (free memory and file cache), not of all memory. At the first the " +
			"kernel begins to write in the background, at the second every writer has to write itself, which is felt as a stall. On machines " +
			"with much memory even 1 % is gigabytes, so use the two settings in bytes; writing one form sets the other to 0.",
		"PostgreSQL hints the kernel to write early (checkpoint_flush_after and its kin), so the limits matter for what others write: " +
			"dumps, archiving, copies. Low limits make VACUUM, REINDEX and loads slower; that is their price. TuneD applies its own values " +
			"after sysctl.",
	},
	Verify:  "sysctl -a | grep dirty; the lines Dirty and Writeback of /proc/meminfo under load.",
	Sources: []string{"linux-vm", "linux-writeback", "tuned-postgresql", "dalibo-j1"},
	See:     []string{"sysctl:vm.dirty_bytes", "sysctl:vm.dirty_background_bytes", "dirty_limits_large", "flush-after"},
}
