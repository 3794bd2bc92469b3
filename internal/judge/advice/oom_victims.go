package advice

// OomVictims: oom_badness sums rss, page tables and swap; hugetlb pages are in none of the three.
var OomVictims = Page{
	ID:    "oom-victims",
	Kind:  Advice,
	Title: "The OOM killer counts resident memory, not fair shares",
	Names: []string{"oom_badness", "oom_score", "checkpointer_killed", "bgwriter_killed"},
	Text: []string{
		"The kernel chooses by resident memory (shared memory in full for each process that touched it), page tables and swap, then by " +
			"oom_score_adj; Pss plays no part. On ordinary pages every backend that has seen all of shared_buffers looks as large as the " +
			"checkpointer. Killing any of them restarts the server just the same; the postmaster is protected by the unit.",
		"Huge pages are not counted as resident, so with them the processes look as small as their private memory and the killer finds " +
			"who really took it.",
	},
	Verify:  "sort -n on /proc/PID/oom_score of the server's processes.",
	Sources: []string{"linux-oom", "percona-huge-pages"},
	See:     []string{"oom_score", "oom_kills", "pg:huge_pages"},
}
