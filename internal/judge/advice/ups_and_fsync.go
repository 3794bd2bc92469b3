package advice

// UpsAndFsync: the documentation says that good hardware alone is no sufficient reason.
var UpsAndFsync = Page{
	ID:    "ups-and-fsync",
	Kind:  NotSo,
	Title: "No hardware makes fsync=off safe",
	Names: []string{"ups", "fsync=off_ups", "uninterruptible_power_supply"},
	Read:  "with a reliable power supply, or hardware that one trusts, fsync=off is a fine way to speed the server up",
	Text: []string{
		"An uninterruptible supply helps against one of many causes. A panic of the kernel, a hypervisor that kills the machine, a " +
			"controller that fails, or a person who pulls the wrong plug end a machine all the same, and then the cluster is damaged beyond " +
			"repair, without a message.",
		"synchronous_commit = off gives most of the speed: after a crash the last commits, at most three times wal_writer_delay, are " +
			"missing, and nothing is damaged.",
	},
	Verify:  "SHOW fsync;",
	Sources: []string{"pg-config-wal", "pg-wal-reliability", "article-1c"},
	See:     []string{"fsync_off", "synchronous_commit_off", "full_page_writes_off", "bulk-load"},
}
