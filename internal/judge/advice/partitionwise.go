package advice

// Partitionwise: off is boot_val in 13 to 18, checked on live servers.
var Partitionwise = Page{
	ID:    "partitionwise",
	Kind:  NotSo,
	Title: "Partitionwise joins are off by default for a reason",
	Names: []string{"enable_partitionwise_join", "enable_partitionwise_aggregate"},
	Read:  "it is bad that enable_partitionwise_join and enable_partitionwise_aggregate are off",
	Text: []string{
		"Off is the default in every version. They let the planner plan for each pair of partitions, which takes time and memory for " +
			"every query on many partitions, and each part may take work_mem. Switch them on for the role or session whose joins between " +
			"equally partitioned tables gain by it.",
	},
	Verify:  "SHOW enable_partitionwise_join; compare EXPLAIN (SUMMARY) of such a join with it on.",
	Sources: []string{"pg-config-query", "dalibo-j1"},
	See:     []string{"pg:work_mem"},
}
