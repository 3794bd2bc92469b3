package advice

// IoTimingsOutput: seen live on 14 and 15: "read=" against "shared read=".
var IoTimingsOutput = Page{
	ID:    "io-timings-output",
	Kind:  NotSo,
	Title: "I/O timings have new words and new places",
	Names: []string{"io_timings", "blk_read_time", "blk_write_time", "wal_write_time", "pg_stat_wal"},
	Read:  "EXPLAIN prints I/O Timings: read=2.062, and pg_stat_statements has the columns blk_read_time and blk_write_time",
	Since: "PostgreSQL 15",
	Until: "PostgreSQL 14",
	Text: []string{
		"From 15 on EXPLAIN prints I/O Timings: shared read=…, with local and temp parts of their own. From 17 on pg_stat_statements has " +
			"shared_blk_read_time and shared_blk_write_time (temp_blk_* from 15). pg_stat_io shows reads by kind of process from 16 on.",
		"track_wal_io_timing fills wal_write_time and wal_sync_time of pg_stat_wal from 14 to 17; in 18 those columns are gone and the " +
			"times stand in pg_stat_io at object wal, reads included.",
	},
	Verify:  "SET track_io_timing = on; EXPLAIN (ANALYZE, BUFFERS) of a cold table.",
	Sources: []string{"pg-monitoring", "pg-release-notes", "dalibo-j1", "pgfettle-measured"},
	See:     []string{"pg:track_io_timing", "pg:track_wal_io_timing"},
}
