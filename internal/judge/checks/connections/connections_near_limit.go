package connections

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// nearFull and veryNearFull are percent of what ordinary roles may use: at 80
	// a burst of a fifth more is refused, at 90 any restart of an application
	// that opens new sessions before the old ones are gone.
	nearFull     = 80
	veryNearFull = 90
	// mostlyIdle is the percentage of idle sessions from which they, and not the
	// load, fill the server: a pool that is sized to the limit looks like this all
	// day, and its next query finds a session. The finding is one degree milder.
	mostlyIdle = 50
)

// ConnectionsNearLimit compares with what is left for ordinary roles: max_connections less
// superuser_reserved_connections and, from 16 on, reserved_connections. WAL senders have had separate slots since 12.
var ConnectionsNearLimit = check.Check{
	ID:       "connections_near_limit",
	Area:     check.Connections,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Connections close to max_connections",
	Why: "When no slot is left, the server refuses each further client: \"sorry, too many clients already\" or " +
		"\"remaining connection slots are reserved\". The application then fails completely, not gradually. A " +
		"higher max_connections alone moves the problem to memory and CPU scheduling, because each session has " +
		"its own process.",
	Do: "Use a connection pooler in transaction mode (PgBouncer), or reduce the applications' own pools so " +
		"that their sum stays below the limit. Raise max_connections (restart) only if the sessions are really " +
		"active and the memory budget allows it.",
	Sources: []string{"pg-config-connection"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		a, ok := check.Need(c, c.Instance.Server.Activity)
		if !ok {
			return
		}
		all, ok := set.Int("max_connections")
		if !ok {
			return
		}
		su, _ := set.Int("superuser_reserved_connections")
		extra, _ := set.Int("reserved_connections") // 16+
		open := all - su - extra
		if open <= 0 || a.Clients*100 < nearFull*open {
			return
		}
		sev := check.Warning
		if a.Clients*100 >= veryNearFull*open {
			sev = check.Critical
		}
		idle := a.States["idle"].Count
		seen := say.Template("Client sessions: {used} of {open} slots for ordinary roles (max_connections = {max}, " +
			"{reserved} reserved); idle: {idle}.")
		pairs := []any{"used", a.Clients, "open", open, "max", strconv.FormatInt(all, 10), "reserved", su + extra,
			"idle", idle}
		if idle*100 >= mostlyIdle*a.Clients {
			c.FoundDo(sev-1,
				"Most sessions are idle. Use a connection pooler in transaction mode (PgBouncer), or reduce the "+
					"applications' own pools so that their sum stays below {open}. In 14 and later, "+
					"idle_session_timeout ends forgotten interactive sessions; do not use it for pools.", seen,
				pairs...)
			return
		}
		c.FoundAs(sev, seen, pairs...)
	},
}
