package advice

// OnecFullJoin: the message of 15 and later names both kinds of join conditions.
var OnecFullJoin = Page{
	ID:    "onec-full-join",
	Kind:  Application,
	Title: "1C: no FULL OUTER JOIN with conditions other than equalities",
	Names: []string{"full_outer_join", "full_join", "полное_соединение"},
	Text: []string{
		"The server executes FULL JOIN with equalities only; anything else ends with \"FULL JOIN is only supported with merge-joinable or " +
			"hash-joinable join conditions\". The platform rewrites such a query for PostgreSQL into a union of two left joins, which reads " +
			"everything twice. Write two queries into temporary tables and join these, or LEFT JOIN with UNION ALL.",
	},
	Verify:  "The text of the query in the technological journal or with log_min_duration_statement.",
	Sources: []string{"article-1c", "its-1c", "pgfettle-measured"},
	See:     []string{"onec-slice-last"},
}
