package memory

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// LogMemoryDumpLost is silent for log_destination = stderr: either stderr is captured, or the
// server has no log at all, which its administrator knows.
var LogMemoryDumpLost = check.Check{
	ID:       "log_memory_dump_lost",
	Area:     check.Memory,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Out-of-memory dumps on stderr are lost",
	Why: "When an allocation fails, a backend dumps its memory contexts, the only record of what used the " +
		"memory. It writes the dump to stderr, not to the log. With log messages in syslog and no logging " +
		"collector nothing keeps stderr. Messages of the dynamic linker and the C library at a crash are lost " +
		"too.",
	Do: "1. Run: ALTER SYSTEM SET logging_collector = on;\n" +
		"2. Restart the server.\n" +
		"Or run the server under systemd, whose journal keeps stderr.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET logging_collector = on;"),
	},
	Sources: []string{"pg-config-logging", "dalibo-j1"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if on, ok := set.Bool("logging_collector"); on || !ok {
			return
		}
		destination, _ := set.Text("log_destination")
		if strings.Contains(destination, "stderr") || destination == "" {
			return
		}
		unit, ok := check.Need(c, c.Instance.Unit)
		if ok && unit.Name != "" || !ok && c.Instance.Unit.State() != known.Absent {
			return
		}
		c.Found("logging_collector = off, log_destination = {destination}; no systemd unit runs the server.",
			"destination", destination)
	},
}
