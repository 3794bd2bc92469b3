package configuration

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// busy: 100 transactions a second with a line of 200 bytes for each are 1.7 GB a
// day; below that somebody may read them.
const busy = 100

// LoggingDurationFloods counts transactions, as statements are not counted; there are at least as many
// of those.
var LoggingDurationFloods = check.Check{
	ID:       "logging_duration_floods",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Every statement is written to the log",
	Why: "Each statement then costs a line, with its values, through one collector process. On a busy server the " +
		"log takes more of the disk than " +
		"the data, and the backends wait for the pipe. What is wanted is usually the slow ones, or a sample; and " +
		"the log holds what the " +
		"statements hold, passwords and personal data among it.",
	Do: "ALTER SYSTEM SET log_min_duration_statement = '1s'; ALTER SYSTEM RESET log_statement; SELECT " +
		"pg_reload_conf();. For the whole picture " +
		"use pg_stat_statements; for a sample log_min_duration_sample with log_statement_sample_rate. What must be " +
		"audited belongs in pgaudit.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET log_min_duration_statement = '1s';"),
		check.SQL("ALTER SYSTEM RESET log_statement;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-logging"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		var all []string
		if n, ok := set.Int("log_min_duration_statement"); ok && n == 0 {
			all = append(all, "log_min_duration_statement = 0")
		}
		if v, _ := set.Text("log_statement"); v == "all" {
			all = append(all, "log_statement = all")
		}
		if on, _ := set.Bool("log_duration"); on {
			all = append(all, "log_duration = on")
		}
		if len(all) == 0 {
			return
		}
		tps, ok := check.Need(c, check.CommitRate(c.Instance.Server))
		switch {
		case !ok:
			c.Found("{all}; how many transactions there are is not known.", "all", strings.Join(all, ", "))
		case tps >= busy:
			c.FoundAs(check.Warning, "{all}, with {tps} transactions a second.", "all", strings.Join(all, ", "), "tps",
				int64(tps))
		default:
			c.Found("{all}, with {tps} transactions a second.", "all", strings.Join(all, ", "), "tps",
				fmt.Sprintf("%.1f", tps))
		}
	},
}
