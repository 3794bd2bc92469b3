package advice

// IoCombineLimit: bounds read from live servers: 17 and 18.
var IoCombineLimit = Page{
	ID:    "io-combine-limit",
	Kind:  Advice,
	Title: "io_combine_limit stays as it is",
	Names: []string{"io_combine_limit", "io_max_combine_limit", "read_stream"},
	Text: []string{
		"From 17 on reads of neighbouring blocks are joined up to io_combine_limit (128 kB). In 17 it served sequential scans, ANALYZE " +
			"and pg_prewarm and may be 256 kB at most; from 18 on it serves most reads, may be up to 1 MB, and io_max_combine_limit, which " +
			"needs a restart, bounds it. Change it only after a measurement.",
	},
	Verify:  "SELECT name, setting, unit, max_val FROM pg_settings WHERE name LIKE 'io%combine_limit';",
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	See:     []string{"pg:effective_io_concurrency"},
}
