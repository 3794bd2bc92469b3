package advice

// SchedAutogroup: setsid stands in miscinit.c; the autogroups of a live server on 6.18 differ.
var SchedAutogroup = Page{
	ID:    "sched-autogroup",
	Kind:  NotSo,
	Title: "Each backend has an autogroup of its own",
	Names: []string{"kernel.sched_autogroup_enabled", "autogroup", "noautogroup", "setsid"},
	Read:  "autogroup puts all processes of PostgreSQL, which share one session, into one group that is starved",
	Text: []string{
		"Every child of the postmaster calls setsid, so each backend has its own session and its own autogroup. And autogroups apply only " +
			"to tasks of the root control group: never to a systemd service once the processor controller is on for its slice. " +
			"kernel.sched_autogroup_enabled = 0 is harmless and mostly without effect.",
	},
	Verify:  "cat /proc/PID/autogroup of the postmaster and of two backends: three numbers.",
	Sources: []string{"pg-source-miscinit", "linux-sched", "pgfettle-measured"},
	See:     []string{"sched-migration-cost"},
}
