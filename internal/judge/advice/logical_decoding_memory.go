package advice

// LogicalDecodingMemory: 64 MB is the default of logical_decoding_work_mem in 13 to 18.
var LogicalDecodingMemory = Page{
	ID:    "logical-decoding-memory",
	Kind:  Advice,
	Title: "Each logical stream has memory of its own",
	Names: []string{"logical_decoding_work_mem"},
	Text: []string{
		"logical_decoding_work_mem (64 MB, from 13 on) is for each WAL sender that decodes. A larger transaction goes to files below " +
			"pg_replslot or, with streaming, to the subscriber at once. With ten subscriptions count it ten times. Raise it when " +
			"pg_stat_replication_slots (14 and later) shows spill_bytes growing.",
	},
	Verify:  "SELECT slot_name, spill_txns, spill_bytes FROM pg_stat_replication_slots;",
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	See:     []string{"slot_retains_wal", "pg:max_slot_wal_keep_size"},
}
