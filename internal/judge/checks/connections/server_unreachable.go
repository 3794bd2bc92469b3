package connections

import (
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ServerUnreachable is for a server whose processes run and that answered
// nothing. Full slots and locked catalogs are checks of their own, as what to
// do about them is another thing. A server that lets others in and not us is no
// outage, so that is a warning.
var ServerUnreachable = check.Check{
	ID:       "server_unreachable",
	Area:     check.Connections,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Server is running but does not answer",
	Why: "The processes of the server exist, but pgfettle got no answer over SQL. If applications get none either, " +
		"this is an outage. " +
		"The checks of settings, sessions, and statistics need these answers: their silence does not mean that the " +
		"server is healthy.",
	Do: "Connect with psql from this host and read the end of the server log. If both are fine, run pgfettle " +
		"again as the owner of the data directory.",
	Sources: []string{"pg-config-connection", "pg-hba", "pg-error-codes"},
	Judge: func(c *check.Case) {
		f, ok := c.Silence()
		if !ok || f.Cause.Kind() == pg.NoSlot || c.CatalogsLocked() {
			return
		}
		pairs := []any{"reason", check.FailureText(f)}
		s := c.Instance.Server.Silence
		switch {
		case s.Connection == nil:
			c.FoundDo(check.Critical,
				"Run one of the queries in psql, for example SELECT * FROM pg_settings; and read the server log: "+
					"the error is in both.",
				"The server accepted the connection, but all {n} queries failed. The first error: {reason}.",
				append(pairs, "n", len(s.Failed))...)
		case f.Cause.Kind() == pg.NotLetIn:
			c.FoundDo(check.Warning,
				"Let pgfettle in: {hint}. The role needs pg_monitor for most checks; a superuser sees all.",
				"The server did not let pgfettle in, {what}: {reason}.", "what", refusedFor(f.Cause), "reason",
				check.FailureText(f), "hint", hintOr(f, "run pgfettle as the owner of the data directory"))
		case f.Cause.Kind() == pg.NotReady:
			c.FoundDo(check.Warning,
				"Wait until the server accepts connections. The server log shows the progress of recovery or of the "+
					"shutdown. Then run pgfettle again.",
				"The server is starting, recovering, or shutting down: {reason}.", pairs...)
		case f.Cause == pg.TimedOut:
			c.FoundDo(check.Critical,
				"Check whether psql can connect. If it hangs too, look at the processes of the server (state D: "+
					"storage; many in R: CPU) and at the server log. "+
					"A stopped process (state T) continues after kill -CONT.",
				"The server did not answer in time: {reason}.", pairs...)
		case f.Cause == pg.NoWay:
			c.FoundDo(check.Warning,
				"Run pgfettle as root or as the owner of the data directory, or name the server with a connection "+
					"string: pgfettle check 'host=HOST port=PORT user=ROLE'.",
				"The server runs, but no way to connect to it was found: {reason}.", pairs...)
		default:
			c.Found("The connection failed: {reason}.", pairs...)
		}
	},
}

// refusedFor says in English what a server, or its socket, did not accept.
func refusedFor(c pg.Cause) string {
	switch c {
	case "28P01":
		return "as the password is missing or wrong"
	case "28000":
		return "as the role does not exist or no line of pg_hba.conf accepts it"
	case "3D000":
		return "as the database does not exist"
	case "42501":
		return "as the role may not connect to the database"
	case "55000":
		return "as the database accepts no connections"
	case pg.ClosedSocket:
		return "as the permissions of its socket keep this user out"
	case pg.AsksPassword:
		return "as it asks for a password"
	case pg.Stranger:
		return "as another user serves its socket"
	}
	return "as it refuses this role"
}

// hintOr is what would reveal more, or another text where nothing is known.
func hintOr(f pg.Failure, other string) string {
	if f.Reveal == "" {
		return other
	}
	return f.Reveal
}
