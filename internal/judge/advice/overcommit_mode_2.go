package advice

// OvercommitMode2: __vm_enough_memory refuses at fork and mmap; what fails after that is PostgreSQL's to handle.
var OvercommitMode2 = Page{
	ID:    "overcommit-mode-2",
	Kind:  Advice,
	Title: "What mode 2 of overcommit does and does not",
	Names: []string{"vm.overcommit_memory", "overcommit", "strict_overcommit"},
	Text: []string{
		"In mode 2 the kernel refuses memory instead of killing for it. A query then ends with ERROR: out of memory and its session lives " +
			"on. The one that fails is the one that asked last, which need not be the one that took most.",
		"It is no full protection. The kernel's own memory, tmpfs, locked memory and the limits of control groups do not follow it, so " +
			"kills still happen. A failed fork is a connection that is refused, a failure inside a critical section is a PANIC of the whole " +
			"server, and background workers end.",
		"It is for hosts that PostgreSQL has for itself: programs such as Java, Go and Redis reserve much more than they use, and " +
			"container platforms need mode 1 or 0.",
	},
	Verify:  "grep Commit /proc/meminfo; pgfettle demo oom compares the modes on a throwaway server.",
	Sources: []string{"pg-overcommit", "linux-commit-limit", "dalibo-j1"},
	See:     []string{"sysctl:vm.overcommit_memory", "sysctl:vm.overcommit_kbytes", "overcommit_limit_too_low", "overcommit_mode_1"},
}
