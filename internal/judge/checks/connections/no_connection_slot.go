package connections

import (
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// NoConnectionSlot is SQLSTATE 53300, which the server gives for
// max_connections, for the slots it keeps for superusers, and for the limits of
// a role and of a database alike.
var NoConnectionSlot = check.Check{
	ID:       "no_connection_slot",
	Area:     check.Connections,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Too many connections (SQLSTATE 53300)",
	Why: "The server refuses further connections of this role: \"sorry, too many clients already\", " +
		"\"remaining connection slots are reserved\", or a limit of the role or database. Applications that " +
		"open a new connection fail. The checks that need SQL could not run.",
	Do: "Connect as a superuser: superuser_reserved_connections keeps slots free for this. In pg_stat_activity, " +
		"find the application that holds the sessions, and terminate the idle ones: SELECT " +
		"pg_terminate_backend(PID);\nIf the superuser slots are in use too, terminate an idle session on the host " +
		"with kill -TERM PID. Never use kill -9, which makes the whole server restart. Then use a connection pooler " +
		"in transaction mode (PgBouncer), or reduce the applications' pools so that their sum stays below the limit.",
	Sources: []string{"pg-config-connection", "pg-error-codes", "pg-signaling"},
	Judge: func(c *check.Case) {
		f, ok := c.Silence()
		if !ok || f.Cause.Kind() != pg.NoSlot {
			return
		}
		t := c.SessionTitles()
		if t.Clients == 0 {
			c.Found("The server refused the connection: {reason}.", "reason", check.FailureText(f))
			return
		}
		c.Found(
			"The server refused the connection: {reason}. Client sessions on the host: {clients}; idle: {idle}; idle "+
				"in transaction: {inxact}.",
			"reason", check.FailureText(f), "clients", t.Clients, "idle", t.Idle, "inxact", t.InXact)
	},
}
