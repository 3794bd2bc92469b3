package security

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// HbaErrors distinguishes lines that are no rule from rules that can never match: with the latter the
// server starts.
var HbaErrors = check.Check{
	ID:       "hba_errors",
	Area:     check.Security,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Errors in pg_hba.conf",
	Why: "If a line cannot be parsed, the running server keeps its old rules, and a reload changes nothing: a " +
		"line that was removed to lock a user out stays in effect. The next start fails, because the server " +
		"does not start with such a file. A line that can never match prevents neither a reload nor a start, " +
		"but it has no effect.",
	Do: "Correct the named lines and reload: SELECT pg_reload_conf(); Verify that this query returns no rows: " +
		"SELECT * FROM pg_hba_file_rules WHERE error IS NOT NULL;",
	Commands: []check.Command{
		check.SQL("SELECT pg_reload_conf();"),
		check.SQL("SELECT * FROM pg_hba_file_rules WHERE error IS NOT NULL;"),
	},
	Sources: []string{"pg-hba", "pg-system-views"},
	Judge: func(c *check.Case) {
		rules, ok := check.Need(c, c.Instance.Server.HBA)
		if !ok {
			return
		}
		var fatal, idle []say.Message
		for _, r := range rules {
			if text := say.M("{line}: {error}", "line", lineOf(r), "error", r.Error); r.Broken && r.Type == "" {
				fatal = append(fatal, text)
			} else if r.Broken {
				idle = append(idle, text)
			}
		}
		if len(fatal) > 0 {
			c.Found("{lines}.", "lines", say.List{Items: fatal, Sep: "; ", Most: 5})
		}
		if len(idle) > 0 {
			c.FoundDo(check.Warning,
				"Correct or remove these lines, or enable the feature that they need. The server starts with them, "+
					"but they neither allow nor reject any connection.",
				"Lines that can never match: {lines}.", "lines", say.List{Items: idle, Sep: "; ", Most: 5})
		}
	},
}
