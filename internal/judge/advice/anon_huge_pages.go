package advice

// AnonHugePages: processes keep the transparent pages that they had when the switch was changed.
var AnonHugePages = Page{
	ID:    "anon-huge-pages",
	Kind:  Advice,
	Title: "AnonHugePages need not be 0 for the whole machine",
	Names: []string{"anonhugepages", "thp_fault_alloc"},
	Text: []string{
		"The figure of /proc/meminfo is of all processes, and those that had transparent pages before the switch keep them until they " +
			"end. Look at the server's own processes. With madvise PostgreSQL gets none of its own will; a loaded library or a tunable of " +
			"glibc may ask for them.",
	},
	Verify:  "grep AnonHugePages /proc/PID/smaps_rollup of the server's processes; THP_enabled in /proc/PID/status.",
	Sources: []string{"linux-thp", "dalibo-j1"},
	See:     []string{"thp_always", "thp:enabled"},
}
