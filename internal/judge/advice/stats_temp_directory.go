package advice

// StatsTempDirectory: live: 15 to 18 end with unrecognized configuration parameter; 13 and 14 start.
var StatsTempDirectory = Page{
	ID:    "stats-temp-directory",
	Kind:  NotSo,
	Title: "stats_temp_directory is gone, and a server that has it does not start",
	Names: []string{"stats_temp_directory", "pg_stat_tmp", "stats_collector"},
	Read:  "stats_temp_directory should point to a RAM disk, in version 17 too",
	Since: "PostgreSQL 15",
	Until: "PostgreSQL 14",
	Text: []string{
		"From 15 on statistics live in shared memory and are saved to pg_stat at shutdown. The parameter does not exist any more: a " +
			"reload logs unrecognized configuration parameter, and the next restart fails. Remove the line before an upgrade.",
		"Up to 14 a RAM disk for the files of the statistics collector is useful; Debian's pg_createcluster sets /run for such clusters. " +
			"From 15 on do not link pg_stat to a RAM disk: all statistics would be lost at every reboot, and autovacuum works by them.",
	},
	Verify:  "postgres -D PGDATA -C stats_temp_directory.",
	Sources: []string{"pg-release-notes", "pg-monitoring", "dalibo-j1", "pgfettle-measured"},
	See:     []string{"config_file_errors", "pgss-query-texts", "removed-settings"},
}
