package advice

// TrackFunctions: from 15 on the SET privilege of a parameter may be granted.
var TrackFunctions = Page{
	ID:    "track-functions",
	Kind:  Advice,
	Title: "track_functions where functions do the work",
	Names: []string{"track_functions"},
	Text: []string{
		"pl counts calls and times of procedural functions in pg_stat_user_functions, all counts SQL and C functions too. It is none by " +
			"default. It is worth switching on where the application calls stored functions; a superuser may set it, or from 15 on who was " +
			"granted SET on it.",
	},
	Verify:  "SELECT * FROM pg_stat_user_functions ORDER BY total_time DESC LIMIT 10;",
	Sources: []string{"pg-config-statistics", "dalibo-j1"},
	See:     []string{"track_counts_off"},
}
