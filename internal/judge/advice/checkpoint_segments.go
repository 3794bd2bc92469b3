package advice

// CheckpointSegments: live: every version from 13 to 18 ends with unrecognized configuration parameter.
var CheckpointSegments = Page{
	ID:    "checkpoint-segments",
	Kind:  NotSo,
	Title: "checkpoint_segments became max_wal_size",
	Names: []string{"checkpoint_segments"},
	Read:  "checkpoint_segments should be raised until the warning about too frequent checkpoints is gone",
	Since: "PostgreSQL 9.5",
	Until: "PostgreSQL 9.4",
	Text: []string{
		"The setting does not exist any more, and a server that finds it does not start. max_wal_size takes its place: about 3 × segments " +
			"× 16 MB allowed the same WAL. min_wal_size keeps segments for use again, and checkpoint_timeout spreads checkpoints. " +
			"max_wal_size is no hard limit: slots, a failing archive_command and wal_keep_size hold more.",
		"The warning comes only for checkpoints less than checkpoint_warning (30 s) apart; \"checkpoint starting: wal\" in the log and " +
			"num_requested against num_timed tell the rest.",
	},
	Verify:  "postgres -D PGDATA -C checkpoint_segments.",
	Sources: []string{"pg-release-old", "pg-wal-configuration", "article-1c", "pgfettle-measured"},
	See:     []string{"pg:max_wal_size", "pg:min_wal_size", "pg:checkpoint_timeout", "checkpoints_too_frequent"},
}
