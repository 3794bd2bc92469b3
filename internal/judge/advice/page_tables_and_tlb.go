package advice

// PageTablesAndTlb: what PageTables counts was read in pagetable_*_ctor of 4.19 to 6.18.
var PageTablesAndTlb = Page{
	ID:    "page-tables-and-tlb",
	Kind:  NotSo,
	Title: "PageTables is memory of page tables, not of the TLB",
	Names: []string{"pagetables", "tlb"},
	Read:  "the line PageTables of /proc/meminfo is the memory used by the TLBs",
	Text: []string{
		"The TLB is a cache of fixed size inside the processor, some thousand entries; it uses no memory of the machine and no counter of " +
			"the kernel shows it. PageTables is the memory that page tables take: the last level alone up to Linux 4.19, two levels in 5.10 " +
			"and after, three in about 6.12, and all of them in 6.18. So the same load shows slightly more on a newer kernel.",
		"A large table never fits in the TLB and need not. What hurts is that a miss then walks a table which is not in the processor's " +
			"caches either.",
	},
	Verify:  "grep PageTables /proc/meminfo; perf stat -e dTLB-load-misses -p PID.",
	Sources: []string{"linux-page-tables", "percona-huge-pages", "blog-page-tables"},
	See:     []string{"page_tables_large", "smaps-pte-entry"},
}
