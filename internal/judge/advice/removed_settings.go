package advice

// RemovedSettings: each name is checked against the generated parameter facts: in the last version before, not from the named one on.
var RemovedSettings = Page{
	ID:    "removed-settings",
	Kind:  Advice,
	Title: "Settings that are gone, by the version that dropped them",
	Names: []string{"vacuum_cleanup_index_scale_factor", "operator_precedence_warning", "promote_trigger_file", "vacuum_defer_cleanup_age", "force_parallel_mode", "old_snapshot_threshold", "db_user_namespace", "trace_recovery_messages", "ssl_ecdh_curve", "wal_keep_segments", "recovery.conf"},
	Text: []string{
		"A server does not start with a setting that it does not know, so these lines stop an upgrade.",
		"Gone in 13: wal_keep_segments (now wal_keep_size). Gone in 14: vacuum_cleanup_index_scale_factor, operator_precedence_warning. " +
			"Gone in 15: stats_temp_directory. Gone in 16: promote_trigger_file, vacuum_defer_cleanup_age; force_parallel_mode is called " +
			"debug_parallel_query. Gone in 17: old_snapshot_threshold, db_user_namespace, trace_recovery_messages. In 18 ssl_ecdh_curve " +
			"became ssl_groups; the old name is still taken, so this one stops no upgrade. Gone in 19: escape_string_warning, and io_workers in favour of io_min_workers and io_max_workers.",
		"recovery.conf is of 11 and before: since 12 its settings stand in postgresql.conf, standby.signal or recovery.signal says what " +
			"to do, and a server that finds the old file refuses to start.",
	},
	Verify:  "postgres -D PGDATA -C NAME with the new version's program.",
	Sources: []string{"pg-release-notes", "pg-release-19"},
	See:     []string{"config_file_errors", "stats-temp-directory", "checkpoint-segments", "upgrades"},
}
