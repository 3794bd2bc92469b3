package advice

// OnecSpeed: an opinion of 2015 with no measurement behind it.
var OnecSpeed = Page{
	ID:    "onec-speed",
	Kind:  NotSo,
	Title: "1C runs on PostgreSQL as on other servers",
	Names: []string{"1c_slow", "ms_sql"},
	Read:  "1C is slower on PostgreSQL than on MS SQL Server",
	Since: "version 8.3 of the platform",
	Text: []string{
		"It was an opinion of 2015. The platform knows PostgreSQL today, and large installations run on it. Slowness nearly always has " +
			"one of three causes: settings as installed, statistics of temporary tables that nobody collects in time, and queries that were " +
			"written for another server's planner.",
	},
	Verify:  "log_min_duration_statement and auto_explain show the slow statements with their plans.",
	Sources: []string{"article-1c", "its-1c", "postgrespro-1c"},
	See:     []string{"onec-month-close", "onec-slice-last", "onec-full-join"},
}
