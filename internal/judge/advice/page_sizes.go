package advice

// PageSizes: one page-table entry is 8 bytes on every 64-bit system that PostgreSQL is run on.
var PageSizes = Page{
	ID:    "page-sizes",
	Kind:  Advice,
	Title: "Page sizes, and what they cost in page tables",
	Names: []string{"4kb", "2mb", "1gb", "gigantic", "pdpe1gb"},
	Text: []string{
		"On x86 pages are 4 kB, 2 MB or 1 GB. One gigabyte needs 262,144 entries of 8 bytes on 4 kB pages, 512 on 2 MB pages. arm64 has " +
			"64 kB, 2 MB, 32 MB and 1 GB, POWER 16 MB and 16 GB; the base page may be 64 kB.",
		"Each process has its own table for what it touched of shared memory: a 512th of it on 4 kB pages. So 8 GB of shared_buffers cost " +
			"16 MB in each connection that has seen it all, and about 100 to 200 kB, most of it not for shared memory, on 2 MB pages.",
	},
	Verify:  "grep VmPTE /proc/PID/status of an old backend; ls /sys/kernel/mm/hugepages.",
	Sources: []string{"linux-hugetlb", "linux-page-tables", "dalibo-j1"},
	See:     []string{"page_tables_large", "pg:huge_pages", "sysctl:vm.nr_hugepages"},
}
