package advice

// FlushAfter: defaults and the upper bound of 2 MB are the same in 13 to 18.
var FlushAfter = Page{
	ID:    "flush-after",
	Kind:  Advice,
	Title: "The flush_after settings stay as they are",
	Names: []string{"backend_flush_after", "bgwriter_flush_after", "checkpoint_flush_after", "wal_writer_flush_after", "sync_file_range"},
	Text: []string{
		"Since 9.6 the background writer (512 kB) and checkpoints (256 kB) ask the kernel to begin writing soon, with sync_file_range, " +
			"which is a hint and not an fsync. wal_writer_flush_after (1 MB) is about how often the WAL writer flushes, and no hint to the " +
			"kernel at all.",
		"backend_flush_after is 0 and should stay: where the data is larger than shared_buffers and smaller than the kernel's cache, " +
			"pages that would have been written once are written many times. It may help bulk loads; try it for one session.",
	},
	Verify:  "SELECT name, setting, unit FROM pg_settings WHERE name LIKE '%flush_after';",
	Sources: []string{"pg-config-resource", "pg-config-wal", "dalibo-j1"},
	See:     []string{"sysctl:vm.dirty_background_bytes"},
}
