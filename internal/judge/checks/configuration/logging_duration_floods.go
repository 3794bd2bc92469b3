package configuration

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// busy: 100 transactions per second with a line of 200 bytes for each are 1.7 GB per
// day; below that the log can be read.
const busy = 100

// LoggingDurationFloods counts transactions, because the server does not count statements; there are at
// least as many of those.
var LoggingDurationFloods = check.Check{
	ID:       "logging_duration_floods",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Every statement or its duration is logged",
	Why: "With this setting, each statement writes a log line, often through a single collector process. On a " +
		"busy server the log can take more disk space than the data, and backends wait for the pipe. Usually only " +
		"the slow statements or a sample are needed. The log also contains the values in the statements, including " +
		"passwords and personal data.",
	Do: "Log only slow statements (reload): ALTER SYSTEM SET log_min_duration_statement = '1s'; ALTER SYSTEM RESET " +
		"log_statement; ALTER SYSTEM RESET log_duration; SELECT pg_reload_conf();\nFor totals of all statements, use " +
		"pg_stat_statements; for a sample, log_min_duration_sample with log_statement_sample_rate; for audits, " +
		"pgaudit.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET log_min_duration_statement = '1s';"),
		check.SQL("ALTER SYSTEM RESET log_statement;"),
		check.SQL("ALTER SYSTEM RESET log_duration;"),
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
		names := say.Names(all, 0)
		tps, ok := check.Need(c, check.CommitRate(c.Instance.Server))
		switch {
		case !ok:
			c.Found("{all}; transactions per second: unknown.", "all", names)
		case tps >= busy:
			c.FoundAs(check.Warning, "{all}; transactions per second: {tps}.", "all", names, "tps", int64(tps))
		default:
			c.Found("{all}; transactions per second: {tps}.", "all", names, "tps", say.Number(fmt.Sprintf("%.1f", tps)))
		}
	},
}
