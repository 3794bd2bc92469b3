package advice

// Tablespaces: a tablespace on the same device as PGDATA has cost and no gain.
var Tablespaces = Page{
	ID:    "tablespaces",
	Kind:  Advice,
	Title: "Tablespaces for physical reasons only",
	Names: []string{"tablespace", "default_tablespace", "reindex_tablespace"},
	Text: []string{
		"Use them for another device, for nothing else; schemas separate things logically. A cluster is one whole: losing a tablespace " +
			"loses the cluster, and backups need all of them.",
		"The folder lies outside PGDATA, never at the root of a mount point, belongs to the server's user with mode 700, and has no " +
			"version in its path: the server makes one folder a version in it. Moving a table locks it, and its indexes stay where they are " +
			"(REINDEX … TABLESPACE from 14 on).",
	},
	Verify:  "SELECT spcname, pg_tablespace_location(oid) FROM pg_tablespace; and df of each.",
	Sources: []string{"pg-tablespaces", "pg-creating-cluster", "dalibo-j1"},
	See:     []string{"tablespace_in_pgdata", "pgdata_is_mount_point", "temp-tablespaces"},
}
