package advice

// SizingTools: the sum of postgresqltuner leaves out hash_mem_multiplier, workers, temp_buffers and autovacuum_work_mem.
var SizingTools = Page{
	ID:    "sizing-tools",
	Kind:  Advice,
	Title: "What sizing tools know and do not know",
	Names: []string{"postgresqltuner", "timescaledb-tune", "pgconfig", "tuning_tool"},
	Text: []string{
		"A calculator on the web knows memory, processors, disk and load, and gives a starting point. A script that adds up " +
			"shared_buffers, connections × work_mem × 150 % and autovacuum workers × maintenance_work_mem leaves out hashes, parallel " +
			"workers, temp_buffers and autovacuum_work_mem, and counts idle sessions as busy.",
		"Remarks such as \"memory is less than 60 % used, raise shared_buffers\" or \"shared_buffers are larger than the database\" follow " +
			"from no measurement. random_page_cost equal to seq_page_cost is for data that lies wholly in memory; SSDs want about 1.1.",
	},
	Verify:  "pgfettle plan shows its memory budget line by line.",
	Sources: []string{"dalibo-j1", "pgtune"},
	See:     []string{"pg:random_page_cost", "work_mem_vs_memory", "pgtune-old-values"},
}
