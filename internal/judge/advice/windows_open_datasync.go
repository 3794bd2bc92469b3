package advice

// WindowsOpenDatasync: 48,817 flushes a second are 20 µs each; one turn of that disk takes 8,333.
var WindowsOpenDatasync = Page{
	ID:    "windows-open-datasync",
	Kind:  NotSo,
	Title: "A fast flush on a turning disk is no flush",
	Names: []string{"open_datasync_windows", "48817"},
	Read:  "open_datasync is the best method on Windows, as pg_test_fsync shows 48,817 operations a second for it on a disk of 7,200 turns",
	Text: []string{
		"One turn of that disk takes 8.3 ms, so it can flush about 120 times a second. 48,817 means that open_datasync on Windows leaves " +
			"the data in the cache of the drive. The fastest line of the test is the unsafe one. Take fsync or fsync_writethrough there, or " +
			"switch the write cache of the drive off.",
	},
	Verify:  "pg_test_fsync with the write cache off: the line falls to about 100.",
	Sources: []string{"pg-wal-reliability", "pg-test-fsync", "rotation-arithmetic", "article-1c"},
	See:     []string{"wal-sync-method", "write-cache"},
}
