package advice

// PgssQueryTexts: the comment in the source says that it does not follow stats_temp_directory; seen live on 14.
var PgssQueryTexts = Page{
	ID:    "pgss-query-texts",
	Kind:  NotSo,
	Title: "Query texts of pg_stat_statements lie at a fixed place",
	Names: []string{"pgss_query_texts.stat", "pgss", "pg_stat_statements_file"},
	Read:  "pg_stat_statements keeps its query texts where stats_temp_directory points, without limit",
	Text: []string{
		"The file is PGDATA/pg_stat_tmp/pgss_query_texts.stat in every version, wherever stats_temp_directory pointed. Its size is " +
			"bounded in practice: entries above pg_stat_statements.max are dropped and the file is rewritten when most of it is garbage. So a " +
			"RAM disk sized for it is sized for the wrong thing.",
	},
	Verify:  "ls -l PGDATA/pg_stat_tmp on a running server.",
	Sources: []string{"pg-source-pgss", "dalibo-j1", "pgfettle-measured"},
	See:     []string{"stats-temp-directory"},
}
