package advice

// ScaledCosts: 0.1 to 0.4 is the same 1 to 4; the third line cancels part of the other two.
var ScaledCosts = Page{
	ID:    "scaled-costs",
	Kind:  Advice,
	Title: "Planner costs are ratios",
	Names: []string{"seq_page_cost", "cpu_operator_cost", "cpu_tuple_cost", "random_page_cost=0.4"},
	Text: []string{
		"seq_page_cost 0.1 and random_page_cost 0.4 keep their ratio of 1 to 4 and make processor costs ten times heavier, as if " +
			"everything were in memory; cpu_operator_cost 0.00025 (a tenth of the default) takes half of that back. Leave seq_page_cost at 1, " +
			"set random_page_cost 1.1 for flash, and the rest alone. A tablespace may have costs of its own. 1C itself sets planner " +
			"parameters at each connection, which beat postgresql.conf.",
	},
	Verify:  "SELECT name, setting, boot_val FROM pg_settings WHERE name LIKE '%\\_cost';",
	Sources: []string{"pg-config-query", "its-1c", "article-1c"},
	See:     []string{"pg:random_page_cost"},
}
