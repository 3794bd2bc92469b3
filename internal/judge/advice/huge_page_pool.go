package advice

// HugePagePool: the surplus path is hugetlb_acct_memory and gather_surplus_pages; the handler refuses gigantic sizes.
var HugePagePool = Page{
	ID:    "huge-page-pool",
	Kind:  Advice,
	Title: "A fixed pool of huge pages rather than one on demand",
	Names: []string{"vm.nr_overcommit_hugepages", "nr_overcommit_hugepages", "hugepages_surp", "hugepages_rsvd", "surplus"},
	Text: []string{
		"vm.nr_overcommit_hugepages lets the kernel gather huge pages when the server starts. That works on a fresh machine; once memory " +
			"is fragmented it may fail at any later restart, and then huge_pages = try goes on silently with ordinary pages and on refuses to " +
			"start. A generous size is not harmless either: it is the amount of memory that cannot be swapped which any user of huge pages " +
			"may take.",
		"Reserve with vm.nr_hugepages, best at boot, and keep the pool on demand as a cushion at most. Pages of 1 GB cannot be gathered " +
			"on demand at all. Reserved pages are lost to everything else, so size them exactly: the server tells how many it wants, and " +
			"several instances add up.",
		"Free − Rsvd that stays large is waste; Total = Free with a running server means that the pool is not used.",
	},
	Verify:  "grep Huge /proc/meminfo before and after a start.",
	Sources: []string{"pg-huge-pages", "linux-hugetlb", "dalibo-j1"},
	See:     []string{"sysctl:vm.nr_hugepages", "huge_pages_short", "huge_pages_unused", "huge_pages_not_used"},
}
