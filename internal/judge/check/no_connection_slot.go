package check

import "github.com/pgfettle/pgfettle/internal/fact/pg"

// NoConnectionSlot is SQLSTATE 53300, which the server gives for
// max_connections, for the slots it keeps for superusers, and for the limits of
// a role and of a database alike.
var NoConnectionSlot = Check{
	ID:       "no_connection_slot",
	Area:     Connections,
	Severity: Critical,
	Scope:    PerInstance,
	Title:    "No free connection slot",
	Why: "The server refuses every further connection of this role with \"sorry, too many clients already\", \"remaining connection slots are reserved\", or a limit of the role or database. " +
		"Applications that open a new connection fail. The checks that need SQL could not run.",
	Do: "Connect as a superuser: superuser_reserved_connections keeps slots free for this. In pg_stat_activity, find which application holds the sessions and end the idle ones: " +
		"SELECT pg_terminate_backend(PID); Then put a connection pooler in transaction mode (PgBouncer) before the server, or shrink the pools of the applications so that their sum stays below the limit. " +
		"If the superuser slots are taken too, end an idle session on the host with kill -TERM PID; never use kill -9, which restarts the whole server.",
	Sources: []string{"pg-config-connection", "pg-error-codes", "pg-signaling"},
	Judge: func(c *Case) {
		f, ok := c.silence()
		if !ok || f.Cause.Kind() != pg.NoSlot {
			return
		}
		t := c.titles()
		if t.clients == 0 {
			c.Found("The server refused the connection: {reason}.", "reason", said(f))
			return
		}
		c.Found("The server refused the connection: {reason}. The host shows {clients} client sessions: {idle} idle, {inxact} idle in transaction.",
			"reason", said(f), "clients", t.clients, "idle", t.idle, "inxact", t.inXact)
	},
}
