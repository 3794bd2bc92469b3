package advice

// NfsForData: the documentation accepts NFS with care; the house rule to forbid it is stricter.
var NfsForData = Page{
	ID:    "nfs-for-data",
	Kind:  Advice,
	Title: "NFS for data: with care, block storage rather",
	Names: []string{"nfs", "nfs_data"},
	Text: []string{
		"PostgreSQL works on NFS when it is mounted hard and exported sync. A hiccup of the network is then a hiccup of the database, a " +
			"stuck server a stuck database, and locks and latencies have one layer more. Where storage comes over a network prefer block " +
			"devices.",
	},
	Verify:  "pg_test_fsync on the mount.",
	Sources: []string{"pg-creating-cluster", "linux-nfs", "dalibo-j1"},
	See:     []string{"nfs_soft", "nfs-noac", "shared-storage"},
}
