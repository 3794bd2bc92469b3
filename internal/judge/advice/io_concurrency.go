package advice

// IoConcurrency: bounds and defaults read from live servers 13 to 18; the factor from the release notes of 13.
var IoConcurrency = Page{
	ID:    "io-concurrency",
	Kind:  NotSo,
	Title: "effective_io_concurrency is 16 since 18, and counts requests",
	Names: []string{"effective_io_concurrency_default", "effective_io_concurrency_1", "spindles", "n/2"},
	Read:  "effective_io_concurrency is 1 by default and should be the number of disks",
	Since: "PostgreSQL 18",
	Until: "PostgreSQL 17",
	Text: []string{
		"Up to 17 the default is 1 and only bitmap heap scans use it; 200 is usual on SSDs. Since 18 it is 16, as is " +
			"maintenance_io_concurrency (10 before), it serves sequential scans and more, and bounds the asynchronous reads of a session. " +
			"There start at 16 and try 32 to 128; unnecessarily high values make every query wait longer. 500 for maintenance is too much.",
		"The advice to count disks (n, n−1 with parity, n/2 for RAID 10; n−2 would be right for RAID 6) was for turning disks and left " +
			"the documentation in 18. 13 changed the meaning of the number: the old value n became the sum of n/1 + n/2 + … + n/n, so 10 " +
			"became 29 and 200 became 1,176, cut to 1,000. Tablespaces may have values of their own, and recovery prefetches by " +
			"maintenance_io_concurrency from 15 on.",
	},
	Verify:  "SELECT name, boot_val, max_val FROM pg_settings WHERE name LIKE '%io_concurrency';",
	Sources: []string{"pg-config-resource", "pg-release-notes", "dalibo-j1", "pgfettle-measured"},
	See:     []string{"pg:effective_io_concurrency", "pg:maintenance_io_concurrency"},
}
