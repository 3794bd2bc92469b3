package advice

// WalDevice: spindles were the reason; capacity and flush latency are what is left of it.
var WalDevice = Page{
	ID:    "wal-device",
	Kind:  Advice,
	Title: "A device of its own for the WAL",
	Names: []string{"wal_device", "separate_wal", "initdb -X", "pg_wal"},
	Text: []string{
		"On turning disks a WAL that has the arm for itself was a large gain. On flash two reasons remain: a full data device does not " +
			"stop the WAL nor the reverse, and the flushes of commits do not queue behind the writes of checkpoints. Separate devices for " +
			"tables and for their indexes have no use any more.",
		"Segments are 16 MB unless initdb --wal-segsize said otherwise. For a new cluster use initdb -X DIR. For one that exists stop it, " +
			"move the folder to a path that does not exist yet (mv into an existing folder nests it as pg_wal/pg_wal), keep owner, mode and " +
			"SELinux label, and leave a symbolic link. pgfettle move-wal does this and takes it back. Never take the root of a mount point.",
	},
	Verify:  "readlink PGDATA/pg_wal; df of both places.",
	Sources: []string{"pg-wal-intro", "pg-creating-cluster", "dalibo-j1"},
	See:     []string{"pg:max_wal_size", "pgdata_is_mount_point", "pg-xlog"},
}
