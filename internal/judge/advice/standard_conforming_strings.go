package advice

// StandardConformingStrings: live: 13 to 18 accept off; the release notes of 19 refuse it.
var StandardConformingStrings = Page{
	ID:    "standard-conforming-strings",
	Kind:  NotSo,
	Title: "standard_conforming_strings cannot be off in 19",
	Names: []string{"standard_conforming_strings", "escape_string_warning", "1c_19"},
	Read:  "a server for 1C needs standard_conforming_strings = off and escape_string_warning = off",
	Since: "PostgreSQL 19",
	Until: "PostgreSQL 18",
	Text: []string{
		"19 refuses off, and escape_string_warning no longer exists: a postgresql.conf written for 1C keeps 19 from starting. Stay on 18 " +
			"or below until the platform supports 19, and take both lines out before the upgrade.",
		"In 19 max_locks_per_transaction counts differently: double the number for the same room.",
	},
	Verify:  "SHOW standard_conforming_strings;",
	Sources: []string{"pg-release-19", "its-1c", "postgrespro-1c"},
	See:     []string{"removed-settings", "pg:max_locks_per_transaction"},
}
