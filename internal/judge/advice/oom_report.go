package advice

// OomReport: rss is in pages and pgtables_bytes in bytes in the kernel's table of tasks.
var OomReport = Page{
	ID:    "oom-report",
	Kind:  Advice,
	Title: "Reading the kernel's report of an OOM kill",
	Names: []string{"oom_report", "invoked_oom-killer", "total-vm", "anon-rss", "pgtables_bytes", "oom_score_adj"},
	Text: []string{
		"The report tells whose limit was hit (the machine, a control group, a NUMA policy), lists every process with its resident " +
			"memory, page tables and swap, and ends with the one that was killed. In the list rss and total_vm are counted in pages, " +
			"pgtables_bytes in bytes; in the last line the sizes are in kB.",
		"Add up the rss of the list with care: shared_buffers on ordinary pages is counted in each process that touched it. Look at " +
			"anon-rss for a query that took too much, at pgtables_bytes for too many connections over large shared_buffers, and at other " +
			"programs.",
	},
	Verify:  "pgfettle diagnose oom reads it, live or from a file.",
	Sources: []string{"linux-oom", "dalibo-j1"},
	See:     []string{"oom_kills", "page_tables_large", "terminated-by-signal-9"},
}
