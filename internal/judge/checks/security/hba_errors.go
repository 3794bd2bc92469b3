package security

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// HbaErrors tells lines that are no rule at all from rules that can never match: with the latter the
// server starts.
var HbaErrors = check.Check{
	ID:       "hba_errors",
	Area:     check.Security,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "pg_hba.conf has lines that the server cannot read",
	Why: "The running server keeps the rules that it read before, and a reload changes nothing, so a line that was " +
		"taken out to lock somebody out " +
		"is still in force. The next start fails: a server without valid rules does not come up.",
	Do: "Correct the named lines, run SELECT pg_reload_conf(); and see that SELECT * FROM pg_hba_file_rules WHERE " +
		"error IS NOT NULL; is empty.",
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
		var fatal, idle []string
		for _, r := range rules {
			if text := fmt.Sprintf("%s: %s", lineOf(r), r.Error); r.Broken && r.Type == "" {
				fatal = append(fatal, text)
			} else if r.Broken {
				idle = append(idle, text)
			}
		}
		if len(fatal) > 0 {
			c.Found("{lines}.", "lines", check.Join(fatal, "; ", 5))
		}
		if len(idle) > 0 {
			c.FoundDo(check.Warning,
				"Correct or remove the lines, or switch on what they need; the server starts with them, but they "+
					"let nobody in and keep nobody out.",
				"Lines that can never match: {lines}.", "lines", check.Join(idle, "; ", 5))
		}
	},
}
