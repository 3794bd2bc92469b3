package advice

// Upgrades: planner work lands in major versions only; minor ones repair.
var Upgrades = Page{
	ID:    "upgrades",
	Kind:  Advice,
	Title: "A newer major version is the cheapest tuning",
	Names: []string{"upgrade", "major_version", "pg_upgrade"},
	Text: []string{
		"Each major version brings plans that the one before did not have; minor releases bring repairs only and are always to be taken. " +
			"Read the incompatibilities first: settings that were removed keep the new server from starting.",
	},
	Verify:  "SELECT version(); pgfettle explain removed-settings.",
	Sources: []string{"pg-versioning", "pg-release-notes", "dalibo-j1"},
	See:     []string{"end_of_life", "minor_behind", "removed-settings"},
}
