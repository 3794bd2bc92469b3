package advice

// HashAggregates: spilling hash aggregation came with 13; hash_mem_multiplier too, its default went from 1 to 2 in 15.
var HashAggregates = Page{
	ID:    "hash-aggregates",
	Kind:  Advice,
	Title: "Hash aggregates spill since 13",
	Names: []string{"hashagg", "hash_aggregate", "enable_hashagg_disk", "hashagg_avoid_disk_plan"},
	Text: []string{
		"Before 13 a hash aggregate whose number of groups was underestimated grew without limit. From 13 on it spills to disk at " +
			"work_mem × hash_mem_multiplier; the multiplier is 1 in 13 and 14 and 2 from 15 on, so an upgrade doubles what hashes may take. " +
			"No version that is supported has the old behaviour.",
	},
	Verify:  "EXPLAIN ANALYZE shows Batches and Disk Usage at HashAggregate.",
	Sources: []string{"pg-config-resource", "pg-release-notes", "dalibo-j1"},
	See:     []string{"pg:hash_mem_multiplier", "pg:work_mem"},
}
