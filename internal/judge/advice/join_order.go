package advice

// JoinOrder: from_collapse_limit and join_collapse_limit are 8 by default in 13 to 18, geqo_threshold 12.
var JoinOrder = Page{
	ID:    "join-order",
	Kind:  Advice,
	Title: "join_collapse_limit=1 only where the query's order is known to be right",
	Names: []string{"join_collapse_limit=1", "geqo_threshold", "geqo"},
	Text: []string{
		"1 makes the planner join in the order that the query is written in; for programs that write queries themselves that order means " +
			"nothing. For 1C 8 (Postgres Pro) to 20 (ITS) are in use for both limits. From geqo_threshold (12) relations on the genetic " +
			"search takes over. Leave it at 12: trying all orders of more takes seconds and gigabytes. With limits of 20 the longest queries get " +
			"their order by chance, which as a rule is better than the order that a program wrote; who must have the same plan each day keeps the limits below the threshold.",
	},
	Verify:  "EXPLAIN (SUMMARY) of the widest query.",
	Sources: []string{"pg-config-query", "its-1c", "postgrespro-1c", "article-1c"},
	See:     []string{"pg:join_collapse_limit", "pg:from_collapse_limit"},
}
