package queries

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// PgStatStatementsMissing knows the extensions of one database only, so their absence there is no more
// than an information.
var PgStatStatementsMissing = check.Check{
	ID:       "pg_stat_statements_missing",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Nothing keeps count of the queries",
	Why: "pg_stat_statements tells for each kind of query how often it ran, how long it took, what it read and what " +
		"it wrote to temporary files. " +
		"Without it one sees only what runs at this moment, and advice on work_mem, indexes and jit rests on guesses.",
	Do: "Install the contrib modules of this version, add pg_stat_statements to the list: ALTER SYSTEM SET " +
		"shared_preload_libraries = " +
		"'pg_stat_statements'; (keep what stands there), restart, and CREATE EXTENSION pg_stat_statements; in the " +
		"database that you look from.",
	Commands: []check.Command{
		check.SQL("CREATE EXTENSION pg_stat_statements;"),
	},
	Sources: []string{"pg-stat-statements"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		v, ok := c.ShownSetting(set, "shared_preload_libraries")
		if !ok {
			return
		}
		if !strings.Contains(v, "pg_stat_statements") {
			c.Found("shared_preload_libraries = '{v}'.", "v", v)
			return
		}
		list, ok := check.Need(c, c.Instance.Server.Extensions)
		if !ok {
			return
		}
		for _, e := range list {
			if e.Name == "pg_stat_statements" {
				return
			}
		}
		if a, ok := c.Instance.Server.Access.Get(); ok {
			c.FoundDo(check.Info,
				"CREATE EXTENSION pg_stat_statements; in the database that you look from, or name that database to "+
					"pgfettle (dbname=…).",
				"It is loaded, but there is no extension in the database {database}, through which we looked.",
				"database", a.Database)
		}
	},
}
