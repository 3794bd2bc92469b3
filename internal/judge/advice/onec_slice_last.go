package advice

// OnecSliceLast: a virtual table is a sub-query with aggregates whose number of rows the planner cannot know.
var OnecSliceLast = Page{
	ID:    "onec-slice-last",
	Kind:  Application,
	Title: "1C: virtual tables such as SliceLast go to a temporary table first",
	Names: []string{"slicelast", "slice_last", "срезпоследних", "срез_последних", "остатки"},
	Text: []string{
		"СрезПоследних, Остатки and the other virtual tables become sub-queries with aggregates. Joined directly, the planner does not " +
			"know how many rows come out and chooses a nested loop that runs for hours. Select from the virtual table into a temporary table, " +
			"with its conditions as parameters of the virtual table, index it by the fields of the join, and join that.",
	},
	Verify:  "EXPLAIN ANALYZE of the long query: a sub-query estimated at one row that yields thousands.",
	Sources: []string{"article-1c", "its-1c"},
	See:     []string{"onec-full-join", "onec-month-close", "pg:temp_buffers"},
}
