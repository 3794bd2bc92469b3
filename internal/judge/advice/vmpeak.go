package advice

// Vmpeak: on a live 15 with 2 GB VmPeak was 3.3 % above the segment; for 128 MB it was nearly three times as much.
var Vmpeak = Page{
	ID:    "vmpeak",
	Kind:  NotSo,
	Title: "The server itself tells how many huge pages it needs",
	Names: []string{"vmpeak", "pmap", "nr_hugepages_195", "shared_memory_size_in_huge_pages"},
	Read:  "the VmPeak of the postmaster, divided by the size of a huge page, is the number of huge pages to reserve",
	Since: "PostgreSQL 15",
	Until: "PostgreSQL 14",
	Text: []string{
		"VmPeak also counts the program, its libraries and private memory. That is some per cent too much with large shared_buffers and " +
			"three times too much with small ones (195 pages where 72 were needed for 128 MB), and wrong altogether when it was read under " +
			"other settings. For 128 MB pages of 1 GB are absurd as well.",
		"From 15 on ask: postgres -D PGDATA -C shared_memory_size_in_huge_pages on a stopped server, SHOW on a running one. Up to 14 take " +
			"the size of the shared mapping in pmap, not VmPeak. Divide rounding up, a missing page is a server that does not start. Expect 2 " +
			"to 3 % above shared_buffers, more with many connections, locks, or the I/O workers of 18; no fixed 10 %.",
	},
	Verify:  "SHOW shared_memory_size_in_huge_pages; beside grep VmPeak /proc/PID/status of the postmaster.",
	Sources: []string{"pg-huge-pages", "percona-huge-pages", "pgfettle-measured"},
	See:     []string{"sysctl:vm.nr_hugepages", "huge_pages_short"},
}
