package configuration

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// hasEscape says whether a prefix has one of the escapes, with or without a
// width: %m, %-5p. %% is a percent sign.
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

// LogPrefixPoor asks for no more than nobody can do without; user and database are the plan's.
var LogPrefixPoor = check.Check{
	ID:       "log_prefix_poor",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Lines of the log lack time or process",
	Why: "Without the time nobody can set a message beside what happened on the host; without the process the lines " +
		"of one session cannot be told " +
		"from those that were written between them. Neither can be added later.",
	Do: "ALTER SYSTEM SET log_line_prefix = '%m [%p] %q%u@%d '; SELECT pg_reload_conf(); — programs that read the " +
		"log may need to be told.",
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
		var lacks []string
		if !hasEscape(prefix, "tmn") {
			lacks = append(lacks, "the time (%m)")
		}
		if !hasEscape(prefix, "pc") {
			lacks = append(lacks, "the process (%p)")
		}
		if len(lacks) > 0 {
			c.Found("log_line_prefix = '{prefix}' has not {lacks}.", "prefix", prefix, "lacks",
				strings.Join(lacks, " and "))
		}
	},
}
