package advice

// WorkMemLimits: 2147483647 kB is the upper bound of work_mem in 13 to 18 on 64-bit systems.
var WorkMemLimits = Page{
	ID:    "work-mem-limits",
	Kind:  Advice,
	Title: "Nothing in PostgreSQL caps what sorts take together",
	Names: []string{"work_mem_cap", "work_mem_max", "temp_file_limit", "limitas", "memorymax"},
	Text: []string{
		"work_mem is a limit for each sort, hash, bitmap or materialised set of each process, and may be set up to 2 TB by any user: SET " +
			"work_mem = '1000GB' is accepted and then really used. There is no limit for a session or for the server.",
		"Limits exist outside: MemoryMax of the unit, LimitAS for each process, mode 2 of overcommit for the machine; temp_file_limit " +
			"bounds what one session puts on disk. Give heavy reports their own value with ALTER ROLE … SET work_mem and leave the rest " +
			"small.",
	},
	Verify:  "SELECT max_val, unit FROM pg_settings WHERE name = 'work_mem';",
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	See:     []string{"pg:work_mem", "work_mem_vs_memory", "temp_files", "overcommit-mode-2"},
}
