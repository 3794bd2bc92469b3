package advice

// StatisticsTarget: the sample is 300 rows for each unit of the target; 10000 is the upper bound in 13 to 18.
var StatisticsTarget = Page{
	ID:    "statistics-target",
	Kind:  Advice,
	Title: "A high statistics target for the columns that need it",
	Names: []string{"statistics_target", "set_statistics", "10000"},
	Text: []string{
		"100 is the default and 10,000 the most. 1,000 to 10,000 for everything makes ANALYZE read 300 times that many rows of each " +
			"table, and planning slower, as lists of common values are compared with each other. Take 100 to 500 for the server and ALTER " +
			"TABLE … ALTER COLUMN … SET STATISTICS 1000 for the columns with skewed values.",
	},
	Verify:  "EXPLAIN (ANALYZE, SUMMARY) before and after: the estimates, and Planning Time.",
	Sources: []string{"pg-config-query", "article-1c"},
	See:     []string{"pg:default_statistics_target"},
}
