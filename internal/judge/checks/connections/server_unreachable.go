package connections

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ServerUnreachable is for a server whose processes run and that answered
// nothing. Full slots and locked catalogs have their own checks, because their
// remedies differ. A server that only refuses pgfettle is no outage: a warning.
var ServerUnreachable = check.Check{
	ID:       "server_unreachable",
	Area:     check.Connections,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Server is running, but pgfettle cannot query it",
	Why: "The server processes exist, but pgfettle got no answer over SQL. If applications get none either, " +
		"this is an outage. The checks of settings, sessions and statistics need these answers: without them, " +
		"the absence of findings does not mean that the server is healthy.",
	Do: "Connect with psql from this host, and read the end of the server log. If neither shows a problem, run " +
		"pgfettle again as the owner of the data directory.",
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
				"Run a query in psql, for example SELECT * FROM pg_settings; and read the server log: both show the "+
					"error.",
				"The server accepted the connection, but all queries failed ({n}). First error: {reason}.",
				append(pairs, "n", len(s.Failed))...)
		case f.Cause.Kind() == pg.NotLetIn:
			c.FoundDo(check.Warning,
				"Give pgfettle access: {hint}. Most checks require the role pg_monitor; a superuser sees everything.",
				"The server refused the connection ({what}): {reason}.", "what", refusedFor(f.Cause), "reason",
				check.FailureText(f), "hint", hintOf(f))
		case f.Cause.Kind() == pg.NotReady:
			c.FoundDo(check.Warning,
				"Wait until the server accepts connections. The server log shows the progress of recovery or "+
					"shutdown. Then run pgfettle again.",
				"The server is starting, recovering or shutting down: {reason}.", pairs...)
		case f.Cause == pg.TimedOut:
			c.FoundDo(check.Critical,
				"Try to connect with psql. If it hangs too, look at the server log and at the states of the server "+
					"processes (D: waiting for storage; many in R: CPU). Resume a stopped process (state T) with "+
					"kill -CONT PID.",
				"The server did not answer in time: {reason}.", pairs...)
		case f.Cause == pg.NoWay:
			c.FoundDo(check.Warning,
				"Run pgfettle as root or as the owner of the data directory. Or pass a connection string: "+
					"pgfettle check 'host=HOST port=PORT user=ROLE'",
				"The server is running, but no way to connect to it was found: {reason}.", pairs...)
		default:
			c.Found("The connection failed: {reason}.", pairs...)
		}
	},
}

// refusedFor says what a server, or its socket, did not accept.
func refusedFor(c pg.Cause) say.Message {
	switch c {
	case "28P01":
		return say.M("the password is missing or incorrect")
	case "28000":
		return say.M("the role does not exist, or no line of pg_hba.conf accepts it")
	case "3D000":
		return say.M("the database does not exist")
	case "42501":
		return say.M("the role has no CONNECT privilege on the database")
	case "55000":
		return say.M("the database does not accept connections")
	case pg.ClosedSocket:
		return say.M("the permissions of its socket exclude this user")
	case pg.AsksPassword:
		return say.M("it requests a password")
	case pg.Stranger:
		return say.M("another user owns the server of this socket")
	}
	return say.M("it does not accept this role")
}

// hintOf is what would give access, as far as it is known.
func hintOf(f pg.Failure) any {
	if f.Reveal == "" {
		return say.M("run it as the owner of the data directory")
	}
	return gapwords.Arg(f.Reveal)
}
