package start

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StartConfigError reports what the reader of the configuration found, and the errors
// of the installed program on a scratch copy.
var StartConfigError = check.Check{
	ID:       "start_config_error",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Configuration error: the server does not start",
	Why: "A running server ignores an invalid line, but a starting server rejects the whole configuration. An " +
		"unknown parameter, a value out of range, a missing include file or a missing library is enough.",
	Do: "1. Correct or remove the listed lines. Lines of postgresql.auto.conf may be removed with an editor " +
		"while the server is stopped.\n" +
		"2. Start the server.\n" +
		"Verify: postgres -D DATA_DIRECTORY -C port, run as the owner of the data directory, prints the port " +
		"and no error.",
	Sources: []string{"pg-config", "pg-server-start"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		conf, ok := check.Need(c, c.Instance.Start.Config)
		if !ok || len(conf.Faults) == 0 {
			return
		}
		var told []say.Message
		for _, f := range conf.Faults {
			switch {
			case f.File == "":
				told = append(told, say.M("{reason}", "reason", f.Reason))
			case f.Line > 0:
				told = append(told, say.M("{file} line {line}: {reason}", "file", f.File, "line", f.Line,
					"reason", f.Reason))
			default:
				told = append(told, say.M("{file}: {reason}", "file", f.File, "reason", f.Reason))
			}
		}
		c.Found("{errors}.", "errors", say.List{Items: told, Sep: "; ", Most: 5})
	},
}
