package advice

// OnlineAnalyze: live: a server with online_analyze in shared_preload_libraries does not start where the file is missing.
var OnlineAnalyze = Page{
	ID:    "online-analyze",
	Kind:  NotSo,
	Title: "online_analyze is not for modern 1C; neither it nor plantuner is in community builds",
	Names: []string{"online_analyze", "plantuner", "plantuner.fix_empty_table", "fasttrun", "fulleq", "mchar", "online_analyze.table_type", "9.1.2-1.1.c"},
	Read:  "a build such as PostgreSQL 9.1.2-1.1.C collects statistics by itself and that online_analyze.table_type may be set to all",
	Since: "the modern versions of the 1C platform, by Postgres Pro's own documentation for 13 to 18",
	Text: []string{
		"Postgres Pro advises against online_analyze with them. plantuner is another matter: its manual for 1C switches plantuner.fix_empty_table on. Where online_analyze is used all the same: table_type temporary, threshold 50, scale " +
			"factor 0.1, min_interval 10000, verbose off; all analyzes ordinary tables at every insert and is harmful.",
		"online_analyze, plantuner, fasttrun, fulleq and mchar are in builds of 1C and Postgres Pro only. A community server with " +
			"shared_preload_libraries = 'online_analyze, plantuner' does not start (could not access file); settings with such a prefix alone " +
			"are accepted without a word.",
	},
	Verify:  "ls $(pg_config --pkglibdir) | grep -E 'online_analyze|plantuner'.",
	Sources: []string{"postgrespro-1c", "article-1c", "pgfettle-measured"},
	See:     []string{"onec-month-close"},
}
