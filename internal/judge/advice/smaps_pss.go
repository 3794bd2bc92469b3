package advice

// SmapsPss: the Pss_Anon, Pss_File and Pss_Shmem lines came with Linux 5.x and match a loose pattern.
var SmapsPss = Page{
	ID:    "smaps-pss",
	Kind:  Advice,
	Title: "Pss tells a process's fair share, at a price",
	Names: []string{"pss", "smaps", "smaps_rollup", "rss"},
	Text: []string{
		"Rss counts shared memory in each process that touched it, so it cannot be added up; Pss divides what is shared by those who " +
			"share it. Read /proc/PID/smaps_rollup, one short file, instead of adding up smaps. A script that adds every line with Pss in it " +
			"counts twice on newer kernels, which also print Pss_Anon, Pss_File and Pss_Shmem: match ^Pss: alone.",
		"Reading either holds the memory map lock of that process. Once a minute is fine, ten times a second is a load of its own.",
	},
	Verify:  "grep ^Pss: /proc/PID/smaps_rollup.",
	Sources: []string{"linux-proc", "percona-huge-pages"},
	See:     []string{"page_tables_large", "smaps-pte-entry"},
}
