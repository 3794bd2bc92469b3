package advice

// TempTablespaces: tmpfs pages are charged as shared memory and leave only by swap.
var TempTablespaces = Page{
	ID:    "temp-tablespaces",
	Kind:  Advice,
	Title: "Temporary files on a fast local disk, never in memory",
	Names: []string{"temp_tablespaces", "temp_files_tmpfs", "ramdisk"},
	Text: []string{
		"temp_tablespaces may lie on cheap, fast, local disks, as nothing in them survives a restart, and they keep a runaway query from " +
			"filling PGDATA. Users need CREATE on them. With several the server starts at a random one and goes round; a query fails when the " +
			"one it writes to is full, so one large is better than two small. temp_file_limit is the other guard.",
		"Never on tmpfs: the memory would serve work_mem and the caches better, cannot be given back, and the folder is missing after a " +
			"reboot. All other tablespaces must survive anything.",
	},
	Verify:  "SHOW temp_tablespaces; temp_bytes of pg_stat_database.",
	Sources: []string{"pg-tablespaces", "pg-config-client", "dalibo-j1"},
	See:     []string{"data_on_tmpfs", "temp_files", "tablespaces"},
}
