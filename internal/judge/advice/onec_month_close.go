package advice

// OnecMonthClose: temporary tables are never analyzed by autovacuum, which cannot see them.
var OnecMonthClose = Page{
	ID:    "onec-month-close",
	Kind:  Application,
	Title: "1C: a month's closing that hangs is a plan without statistics",
	Names: []string{"закрытие_месяца", "month_closing", "hang"},
	Text: []string{
		"Closing a month fills temporary tables and joins them; autovacuum cannot see temporary tables of a session, so they have no " +
			"statistics until somebody runs ANALYZE on them. The builds of PostgreSQL for 1C have modules that do so at the end of each " +
			"insert, which modern versions of the platform do not need. Find the statement, write its intermediate results into indexed " +
			"temporary tables, analyze large ones, and raise the statistics of skewed columns.",
		"A nested loop over an estimate of one row is the typical sight.",
	},
	Verify:  "SELECT pid, now() - query_start, left(query, 100) FROM pg_stat_activity WHERE state = 'active'; during the closing.",
	Sources: []string{"article-1c", "its-1c", "postgrespro-1c"},
	See:     []string{"online-analyze", "pg:default_statistics_target", "pg:autovacuum_naptime"},
}
