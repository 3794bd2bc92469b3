package advice

// Vmpte: VmPTE is mm_pgtables_bytes; VmPMD was merged into it in Linux 4.15.
var Vmpte = Page{
	ID:    "vmpte",
	Kind:  Advice,
	Title: "VmPTE is the page table of one process",
	Names: []string{"vmpte", "rssshmem", "hugetlbpages", "vmpmd"},
	Text: []string{
		"/proc/PID/status tells how much page table one process has (VmPTE), and RssShmem how much of shared memory it has touched: a " +
			"512th of that plus 150 to 200 kB of its own. 8,561,116 kB touched make 16,880 kB. Add VmPTE up over the children of the " +
			"postmaster, each instance by its own postmaster.pid.",
		"With huge pages RssShmem no longer counts shared_buffers; HugetlbPages in the same file does.",
	},
	Verify:  "for p in $(pgrep -P $(head -1 PGDATA/postmaster.pid)); do grep -H -E 'VmPTE|RssShmem|HugetlbPages' /proc/$p/status; done",
	Sources: []string{"linux-page-tables", "linux-proc", "blog-page-tables"},
	See:     []string{"page_tables_large", "page-sizes"},
}
