package connections

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// nearFull and veryNearFull are percent of what ordinary roles may use: at 80
	// a burst of a fifth more is refused, at 90 any restart of an application
	// that opens new sessions before the old ones are gone.
	nearFull     = 80
	veryNearFull = 90
	// mostlyIdle is the share of idle sessions from which on they, and not the
	// work, are what fills the server: a pool that is sized to the limit stands so
	// all day, and its next query finds a session. That is one degree milder.
	mostlyIdle = 50
)

// ConnectionsNearLimit compares with what is left for ordinary roles:
// max_connections less superuser_reserved_connections and, from 16 on,
// reserved_connections. WAL senders have slots of their own since 12.
var ConnectionsNearLimit = check.Check{
	ID:       "connections_near_limit",
	Area:     check.Connections,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Nearly all connections are taken",
	Why: "When the last slot is taken every further client is refused with \"sorry, too many clients already\" or " +
		"\"remaining connection slots are " +
		"reserved\": the application fails as a whole, not gradually. Raising max_connections alone moves the " +
		"problem into memory and scheduling, as each session has its own process.",
	Do: "Put a connection pooler in transaction mode (PgBouncer) before the server, or shrink the applications' own " +
		"pools so that their sum stays below the limit. Raise " +
		"max_connections (restart) only if the sessions are really at work and the memory budget allows it.",
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
		seen := say.Template("{used} client sessions of the {open} that ordinary roles may have (max_connections = " +
			"{max}, {reserved} reserved); {idle} of them are idle.")
		pairs := []any{"used", a.Clients, "open", open, "max", all, "reserved", su + extra, "idle", idle}
		if idle*100 >= mostlyIdle*a.Clients {
			c.FoundDo(sev-1,
				"Most of them are idle: put a connection pooler in transaction mode (PgBouncer) before the server, "+
					"or lower the applications' own pools, whose sum "+
					"has to stay below {open}. From 14 on idle_session_timeout ends forgotten sessions of people (not "+
					"of pools).", seen, pairs...)
			return
		}
		c.FoundAs(sev, seen, pairs...)
	},
}
