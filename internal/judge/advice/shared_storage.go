package advice

// SharedStorage: what is shared inside the cabinet cannot be seen from the host.
var SharedStorage = Page{
	ID:    "shared-storage",
	Kind:  Advice,
	Title: "Storage networks: ask what is shared",
	Names: []string{"san", "iscsi", "nas", "multipath", "lun"},
	Text: []string{
		"Several volumes of a SAN may lie on one group of disks. Tablespaces on them gain nothing unless the disks differ. Ask for the " +
			"cache and its battery, for who shares the group, and for the latency of a flush over the fabric; then use two paths with " +
			"multipath.",
		"Block access (iSCSI, Fibre Channel) is to be preferred to a shared filesystem for a database.",
	},
	Verify:  "pg_test_fsync on the volume at the busy hour, not on the day of the installation.",
	Sources: []string{"dalibo-j1", "pg-wal-reliability"},
	See:     []string{"nfs-for-data", "tablespaces"},
}
