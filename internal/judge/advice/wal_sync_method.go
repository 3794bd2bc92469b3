package advice

// WalSyncMethod: the enum of a Linux build has four values in 13 to 18.
var WalSyncMethod = Page{
	ID:    "wal-sync-method",
	Kind:  Advice,
	Title: "wal_sync_method stays fdatasync on Linux",
	Names: []string{"wal_sync_method", "fdatasync", "open_datasync", "open_sync", "fsync_writethrough", "pg_test_fsync"},
	Text: []string{
		"Linux offers fsync, fdatasync, open_sync and open_datasync; fsync_writethrough exists on macOS and Windows only and also forces " +
			"the cache of the drive. Choose another than the default only when pg_test_fsync shows it clearly faster and you know that it " +
			"still reaches the disk.",
		"Read pg_test_fsync with physics in mind: a turning disk of 7,200 turns cannot flush more than about 120 times a second, so 80 is " +
			"durable and thousands are a cache. An array with a protected cache does give thousands. The line of non-sync'ed writes is the " +
			"page cache and says nothing about disks. Numbers of two systems compare only for the same method.",
	},
	Verify:  "pg_test_fsync -f on the filesystem of the WAL.",
	Sources: []string{"pg-test-fsync", "pg-config-wal", "pg-wal-reliability", "article-1c"},
	See:     []string{"write-cache", "fsync_off", "windows-open-datasync"},
}
