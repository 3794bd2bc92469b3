package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// CollationMismatch is for the default collation of databases, whose version is
// kept from 15 on.
var CollationMismatch = check.Check{
	ID:       "collation_mismatch",
	Area:     check.Durability,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	From:     15,
	Title:    "The order of texts is another one than when the indexes were built",
	Why: "Indexes on texts are sorted as the library of the system (glibc or ICU) compared them when they were " +
		"written. An upgrade of the system, or a standby or a copy on another one, " +
		"compares differently: searches miss rows that are there, UNIQUE lets in what is there already, and rows go " +
		"into the wrong partition.",
	Do: "In each named database REINDEX DATABASE CONCURRENTLY name; (indexes on text, varchar, char and what " +
		"contains them would do; amcheck's bt_index_check finds those that are out of order), " +
		"look for duplicates in unique columns, then ALTER DATABASE name REFRESH COLLATION VERSION;. Not in the " +
		"other order: it only silences the warning.",
	Sources: []string{"pg-alter-database"},
	Judge: func(c *check.Case) {
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		var told []string
		for _, d := range dbs {
			if d.CollationMismatch && d.AllowConn {
				told = append(told, d.Name)
			}
		}
		if len(told) > 0 {
			c.Found("Databases whose collation was recorded with another version than the library has now: {names}.",
				"names", check.Join(told, ", ", 5))
		}
	},
}
