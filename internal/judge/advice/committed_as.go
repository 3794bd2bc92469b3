package advice

// CommittedAs: the divisor of sar is that of its manual.
var CommittedAs = Page{
	ID:    "committed-as",
	Kind:  Advice,
	Title: "Three tools, three percentages of committed memory",
	Names: []string{"committed_as", "commitlimit", "%commit", "sar"},
	Text: []string{
		"What a refusal in mode 2 depends on is Committed_AS against CommitLimit of /proc/meminfo, less the reserve for root " +
			"(vm.admin_reserve_kbytes) and for the user. The %commit of sar divides by memory plus swap, not by the limit, so it stays far " +
			"below 100 when the limit is reached.",
		"Committed_AS counts what was promised, touched or not: the whole of shared memory on ordinary pages among it, huge pages not.",
	},
	Verify:  "grep -E 'Commit' /proc/meminfo beside sar -r 1 1.",
	Sources: []string{"linux-commit-limit", "dalibo-j1"},
	See:     []string{"overcommit_limit_too_low", "sysctl:vm.admin_reserve_kbytes"},
}
