package advice

// EnableNestloop: up to 17 disabling adds a cost of ten thousand millions, from 18 on nodes are counted.
var EnableNestloop = Page{
	ID:    "enable-nestloop",
	Kind:  Advice,
	Title: "enable_nestloop=off never for the whole server",
	Names: []string{"enable_nestloop", "enable_hashjoin", "enable_mergejoin", "enable_seqscan", "enable_*"},
	Text: []string{
		"It does not forbid nested loops, it makes them dear (from 18 on plans with fewer disabled nodes win). Look-ups of one row by a " +
			"key, which are most of an OLTP load, then become hash joins over whole tables. Use it in one session to learn whether the " +
			"planner's estimate is at fault, then repair the estimate: statistics, temporary tables, indexes.",
	},
	Verify:  "SET enable_nestloop = off; EXPLAIN ANALYZE …; RESET enable_nestloop;",
	Sources: []string{"pg-config-query", "article-1c"},
	See:     []string{"pg:random_page_cost", "pg:default_statistics_target"},
}
