package advice

// BulkLoad: what was written while fsync was off is not on disk when it is switched on again.
var BulkLoad = Page{
	ID:    "bulk-load",
	Kind:  Advice,
	Title: "Loading fast without giving up the data",
	Names: []string{"bulk_load", "initdb_--sync-only", "fsync=off"},
	Text: []string{
		"fsync = off belongs to a cluster that can be thrown away, such as one being restored from a dump. After switching it on again " +
			"run sync, or initdb --sync-only on the stopped cluster: what was written before is not on the disk yet.",
		"Elsewhere synchronous_commit = off for the loading session gives most of the gain: after a crash at most three times " +
			"wal_writer_delay of commits are missing (600 ms by default) and nothing is damaged. Load with COPY, build indexes afterwards, " +
			"raise max_wal_size.",
	},
	Sources: []string{"pg-config-wal", "dalibo-j1"},
	See:     []string{"fsync_off", "synchronous_commit_off", "pg:max_wal_size"},
}
