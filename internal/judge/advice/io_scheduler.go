package advice

// IoScheduler: elevator_get_default and the removal of the single-queue layer in Linux 5.0 were read in the kernel.
var IoScheduler = Page{
	ID:    "io-scheduler",
	Kind:  Advice,
	Title: "The I/O scheduler is right by default on fast devices",
	Names: []string{"scheduler", "elevator", "noop", "deadline", "cfq", "mq-deadline", "rotational"},
	Text: []string{
		"The kernel takes none for devices with several queues (NVMe) and mq-deadline for those with one. That is right for a database; " +
			"bfq, which some desktops choose, is not. noop, deadline and cfq are gone since Linux 5.0, and with them the boot parameter " +
			"elevator=.",
		"A value written to /sys/block/DEV/queue/scheduler lasts until the next boot: keep it with a udev rule, as the plan does where a scheduler is wrong for the disk. queue/rotational is found " +
			"by the kernel and often wrong inside virtual machines; PostgreSQL never reads it, and writing it only moves some habits of the " +
			"block layer. Tell pgfettle what the storage is with --storage.",
	},
	Verify:  "cat /sys/block/*/queue/scheduler: the one in brackets is in use.",
	Sources: []string{"linux-block", "dalibo-j1"},
	See:     []string{"block:*/scheduler", "block:*/read_ahead_kb", "pg:random_page_cost", "pg:effective_io_concurrency"},
}
