package start

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StartConfigError tells what the reader of the configuration found, and what the
// installed program itself said of it on a scratch copy.
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
		var told []string
		for _, f := range conf.Faults {
			at := f.File
			if f.Line > 0 {
				at = fmt.Sprintf("%s line %d", f.File, f.Line)
			}
			told = append(told, at+": "+f.Reason)
		}
		c.Found("{errors}.", "errors", check.Join(told, "; ", 5))
	},
}
