package advice

// OvercommitRatio: the table entry of overcommit_ratio has no upper bound in 4.19 to 6.18.
var OvercommitRatio = Page{
	ID:    "overcommit-ratio",
	Kind:  NotSo,
	Title: "overcommit_ratio may be above 100",
	Names: []string{"vm.overcommit_ratio"},
	Read:  "vm.overcommit_ratio is a percentage from 0 to 100",
	Text: []string{
		"The kernel sets no upper bound. Above 100 is legal and makes sense with little swap or with swap compressed in memory. The " +
			"default is 50.",
		"The commit limit is (memory − huge pages) × ratio / 100 + swap, where all sizes of huge pages and surplus pages count. So a " +
			"ratio must be computed from this host's memory, swap and huge pages and never copied: the same 60 that is cautious on one " +
			"machine allows 88 % of the memory on a small one with swap. For 80 % of the memory: ratio = 100 × (0.8 × memory − huge pages − " +
			"swap) / (memory − huge pages), often 60 to 75.",
		"vm.overcommit_kbytes says the same as a size; setting one of the two makes the other 0, and with it the kernel subtracts no huge " +
			"pages. pgfettle plans in kilobytes with that in mind.",
	},
	Verify:  "grep -E 'CommitLimit|Committed_AS|Hugetlb' /proc/meminfo.",
	Sources: []string{"linux-commit-limit", "linux-vm", "dalibo-j1"},
	See:     []string{"sysctl:vm.overcommit_kbytes", "commit_limit_above_80", "overcommit_limit_too_low"},
}
