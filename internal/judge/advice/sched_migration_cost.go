package advice

// SchedMigrationCost: task_hot compares the time since a task last ran; sysctl up to 5.12, debugfs from 5.13.
var SchedMigrationCost = Page{
	ID:    "sched-migration-cost",
	Kind:  Advice,
	Title: "sched_migration_cost stays as it is",
	Names: []string{"kernel.sched_migration_cost_ns", "migration_cost_ns", "sched_min_granularity_ns", "sched_wakeup_granularity_ns", "base_slice_ns"},
	Text: []string{
		"A task that ran within the last migration cost (0.5 ms) counts as hot in its cache and is not moved by load balancing. Raising " +
			"it ten or a hundredfold is often copied; its gain is not shown on current kernels, which schedule by deadlines since 6.6. Change " +
			"it only after a benchmark of your own.",
		"It is a sysctl up to Linux 5.12 and a file of debugfs, /sys/kernel/debug/sched/migration_cost_ns, from 5.13 on. RHEL 8 has the " +
			"first, RHEL 9 the second. The granularities beside it moved too and were removed in 6.6; base_slice_ns is left. Under Secure " +
			"Boot debugfs refuses the write.",
	},
	Verify:  "cat /sys/kernel/debug/sched/migration_cost_ns as root.",
	Sources: []string{"linux-sched", "tuned-postgresql", "dalibo-j1"},
	See:     []string{"sched-autogroup", "crontab-user-field"},
}
