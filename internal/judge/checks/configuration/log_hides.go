package configuration

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// LogHides takes log for hiding errors: in the order of the log it stands above error.
var LogHides = check.Check{
	ID:       "log_hides",
	Area:     check.Config,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "The log leaves errors out",
	Why: "Whatever is below log_min_messages is not written, and an error whose statement is not logged cannot be " +
		"traced to what caused it. With " +
		"log_error_verbosity = terse the line lacks the detail and the hint, which say what was refused and why.",
	Do: "ALTER SYSTEM RESET log_min_messages; ALTER SYSTEM RESET log_min_error_statement; ALTER SYSTEM RESET " +
		"log_error_verbosity; SELECT " +
		"pg_reload_conf();. If one message floods the log, its cause is what has to go.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET log_min_messages;"),
		check.SQL("ALTER SYSTEM RESET log_min_error_statement;"),
		check.SQL("ALTER SYSTEM RESET log_error_verbosity;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-logging"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		var hidden []string
		sev := check.Notice
		if v, _ := c.ShownSetting(set, "log_min_messages"); v == "log" || v == "fatal" || v == "panic" {
			hidden, sev = append(hidden, "log_min_messages = "+v+" hides errors"), check.Warning
		} else if v == "error" {
			hidden = append(hidden, "log_min_messages = error hides warnings")
		}
		if v, _ := c.ShownSetting(set, "log_min_error_statement"); v == "log" || v == "fatal" || v == "panic" {
			hidden = append(hidden, "log_min_error_statement = "+v+" hides the statements of errors")
		}
		if v, _ := set.Text("log_error_verbosity"); v == "terse" {
			hidden = append(hidden, "log_error_verbosity = terse hides detail and hint")
		}
		if len(hidden) > 0 {
			c.FoundAs(sev, "{hidden}.", "hidden", strings.Join(hidden, "; "))
		}
	},
}
