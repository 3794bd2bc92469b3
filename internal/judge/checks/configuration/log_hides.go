package configuration

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// LogHides counts log as a level that hides errors: in the order of the server log it is above error.
var LogHides = check.Check{
	ID:       "log_hides",
	Area:     check.Config,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Log settings suppress errors or their details",
	Why: "Messages below log_min_messages are not logged. An error whose statement is not logged " +
		"(log_min_error_statement) cannot be traced to its cause. With log_error_verbosity = terse, the log " +
		"lacks DETAIL and HINT, which show what was rejected and why.",
	Do: "Remove the lines from postgresql.conf, or run: ALTER SYSTEM RESET log_min_messages; ALTER SYSTEM RESET " +
		"log_min_error_statement; ALTER SYSTEM RESET log_error_verbosity;\nThen reload: SELECT pg_reload_conf();\nIf " +
		"one message floods the log, remove its cause.",
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
		hidden := say.List{Sep: "; "}
		add := func(m say.Message) { hidden.Items = append(hidden.Items, m) }
		sev := check.Notice
		v, _ := c.ShownSetting(set, "log_min_messages")
		switch params.LogLevel(v, "backend") { // since 19, it can be a list
		case "log", "fatal", "panic":
			add(say.M("log_min_messages = {value} suppresses errors", "value", v))
			sev = check.Warning
		case "error":
			add(say.M("log_min_messages = {value} suppresses warnings", "value", v))
		}
		if v, _ := c.ShownSetting(set, "log_min_error_statement"); v == "log" || v == "fatal" || v == "panic" {
			add(say.M("log_min_error_statement = {value} suppresses the statements of errors", "value", v))
		}
		if v, _ := set.Text("log_error_verbosity"); v == "terse" {
			add(say.M("log_error_verbosity = {value} suppresses DETAIL and HINT", "value", v))
		}
		if len(hidden.Items) > 0 {
			c.FoundAs(sev, "{hidden}.", "hidden", hidden)
		}
	},
}
