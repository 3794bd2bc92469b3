package configuration

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// hasEscape reports whether a prefix has one of the escapes, with or without a width: %m, %-5p. %% is a percent sign.
func hasEscape(prefix, letters string) bool {
	for i := 0; i < len(prefix); i++ {
		if prefix[i] != '%' {
			continue
		}
		for i++; i < len(prefix) && (prefix[i] == '-' || prefix[i] >= '0' && prefix[i] <= '9'); i++ {
		}
		if i < len(prefix) && strings.IndexByte(letters, prefix[i]) >= 0 {
			return true
		}
	}
	return false
}

// LogPrefixPoor requires only the minimum; user and database are part of the plan.
var LogPrefixPoor = check.Check{
	ID:       "log_prefix_poor",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "log_line_prefix lacks timestamp or process ID",
	Why: "Messages without a timestamp cannot be related to events on the host. Without a process ID, the " +
		"lines of one session cannot be distinguished from lines written between them. Neither can be added " +
		"later.",
	Do: "Set a complete prefix (reload): ALTER SYSTEM SET log_line_prefix = '%m [%p] %q%u@%d '; SELECT " +
		"pg_reload_conf(); Programs that parse the log may need the new prefix, too.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET log_line_prefix = '%m [%p] %q%u@%d ';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-logging", "dalibo-j1"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		prefix, ok := set.Text("log_line_prefix")
		if !ok {
			return
		}
		destination, _ := set.Text("log_destination")
		collector, _ := set.Bool("logging_collector")
		lines := false // plain lines of text are the only log
		for d := range strings.SplitSeq(destination, ",") {
			switch strings.TrimSpace(d) {
			case "stderr":
				lines = true
			case "csvlog", "jsonlog":
				if collector {
					return
				}
			}
		}
		if !lines {
			return
		}
		var lacks say.List
		if !hasEscape(prefix, "tmn") {
			lacks.Items = append(lacks.Items, say.M("timestamp (%m)"))
		}
		if !hasEscape(prefix, "pc") {
			lacks.Items = append(lacks.Items, say.M("process ID (%p)"))
		}
		if len(lacks.Items) > 0 {
			c.Found("log_line_prefix = '{prefix}'; missing: {lacks}.", "prefix", prefix, "lacks", lacks)
		}
	},
}
