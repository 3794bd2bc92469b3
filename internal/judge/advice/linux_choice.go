package advice

// LinuxChoice: the versions at which error reporting changed were read in the documentation of recovery_init_sync_method and the kernel.
var LinuxChoice = Page{
	ID:    "linux-choice",
	Kind:  Advice,
	Title: "A distribution's own, current Linux",
	Names: []string{"linux", "rhel", "debian", "kernel_version", "preempt_none"},
	Text: []string{
		"Use a distribution that is supported for years, with its own kernel, kept up to date. A kernel compiled at home is work without " +
			"gain.",
		"Some versions matter: before Linux 4.13 a failed write could be reported to nobody, so fsync said success; before 5.8 syncfs did " +
			"not report errors, which recovery_init_sync_method = syncfs relies on. Linux 7.0 no longer has PREEMPT_NONE, and on machines " +
			"with many cores spinlocks then suffer from page faults of large shared memory on ordinary pages: one more reason for huge pages.",
	},
	Verify:  "uname -r; cat /sys/kernel/debug/sched/preempt where debugfs is mounted.",
	Sources: []string{"pg-config-wal", "pg-wal-reliability", "dalibo-j1", "thebuild-preempt"},
	See:     []string{"pg:huge_pages", "minor_behind"},
}
