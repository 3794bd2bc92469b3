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
	Title:    "pg_stat_statements is not set up",
	Why: "pg_stat_statements records for each normalized query the number of calls, the time, the blocks read " +
		"and the temporary blocks written. Otherwise only the queries that run at this moment are visible, in " +
		"pg_stat_activity. Advice on work_mem, indexes and JIT then relies on guesses.",
	Do: "Install the contrib modules of this major version. Add pg_stat_statements to the list: ALTER SYSTEM SET " +
		"shared_preload_libraries = 'pg_stat_statements';\nKeep the libraries that are already listed, each in its " +
		"own quotes, separated by commas. Restart the server. Then, in the database from which you query the view, " +
		"run: CREATE EXTENSION pg_stat_statements;",
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
				"Create the extension in the database from which you query the view: CREATE EXTENSION "+
					"pg_stat_statements;\nIf another database has it, connect pgfettle to that one (dbname=DATABASE).",
				"pg_stat_statements is loaded, but database {database} does not have the extension.",
				"database", a.Database)
		}
	},
}
