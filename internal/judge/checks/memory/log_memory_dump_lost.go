package memory

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// LogMemoryDumpLost keeps silent for log_destination = stderr: somebody then captures it, or there is
// no log at all and he knows.
var LogMemoryDumpLost = check.Check{
	ID:       "log_memory_dump_lost",
	Area:     check.Memory,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "What the server says when memory runs out is lost",
	Why: "When an allocation fails a backend lists its memory contexts, the one account of where the memory went. " +
		"It writes them to its standard " +
		"error, not to the log. With messages going to syslog and no collector nobody keeps that, nor what the " +
		"dynamic linker or the C library " +
		"say when a process dies.",
	Do: "ALTER SYSTEM SET logging_collector = on; and restart; or run the server under systemd, whose journal keeps " +
		"standard error.",
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
		c.Found("logging_collector = off, log_destination = {destination}, and no unit of systemd runs the server.",
			"destination", destination)
	},
}
