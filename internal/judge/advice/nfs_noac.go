package advice

// NfsNoac: the documentation's only firm requirement is hard; nfs(5) calls intr and nointr ignored since 2.6.25.
var NfsNoac = Page{
	ID:    "nfs-noac",
	Kind:  NotSo,
	Title: "On NFS only hard is required",
	Names: []string{"noac", "nointr", "intr", "nfs_mount", "proto=tcp"},
	Read:  "a data directory on NFS needs the mount options hard, proto=tcp, noac and nointr",
	Text: []string{
		"hard is the one requirement. The server should export with sync; sync on the client is not needed. noac switches the attribute " +
			"cache off, is very slow and needed only where several clients share files, which PostgreSQL never does. intr and nointr are " +
			"ignored since Linux 2.6.25, and NFS 4 is TCP anyway.",
	},
	Verify:  "grep nfs /proc/mounts; exportfs -v on the server.",
	Sources: []string{"pg-creating-cluster", "linux-nfs", "dalibo-j1"},
	See:     []string{"nfs_soft", "nfs-for-data"},
}
