package serverlog

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// connections counts what limits turned away.
type connections struct {
	seen      bool
	out       Connections
	roles     names
	databases names
}

func (s *connections) take(c *Collector, e *pglog.Entry, k pglog.Kind) {
	s.seen = true
	switch k {
	case pglog.RoleLimit:
		s.roles.add(c.mask.name("user", e.LimitOf()))
	case pglog.DatabaseLimit:
		s.databases.add(c.mask.name("database", e.LimitOf()))
	case pglog.SendersLimit:
		s.out.Senders++
	default:
		switch {
		case bytes.HasPrefix(e.Message, []byte("sorry, too many")):
			s.out.Full++
		case bytes.HasPrefix(e.Message, []byte("remaining connection")):
			s.out.Reserved++
		default: // another language
			s.out.Untold++
		}
	}
}

func (s *connections) report(r *Report) {
	if !s.seen {
		return
	}
	out := s.out
	out.Roles, out.Databases = s.roles.list(shownTop), s.databases.list(shownTop)
	r.Connections = &out
}

func (c *Collector) tooMany(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.TooMany, "too_many_connections", Warning, "No free connection slot: {n} attempt refused",
		"No free connection slot: {n} attempts refused",
		say.M("Use a connection pooler in transaction mode (PgBouncer), which serves more clients with fewer "+
			"sessions. A higher max_connections requires a restart, and memory for each connection, including page "+
			"tables: see pgfettle plan."),
		say.M("Find who holds idle sessions: SELECT usename, application_name, state, count(*) FROM pg_stat_activity "+
			"GROUP BY 1, 2, 3 ORDER BY 4 DESC;"))
	if ok && r.Connections.Untold == c.kinds[pglog.TooMany].count {
		f.Verdict = say.N(f.Count, "Connection limit of the server, a role or a database reached: {n} attempt refused",
			"Connection limit of the server, a role or a database reached: {n} attempts refused")
	}
	return f, ok
}

func (c *Collector) roleLimit(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.RoleLimit, "role_limit", Warning, "Connection limit of a role reached: {n} attempt "+
		"refused",
		"Connection limit of a role reached: {n} attempts refused",
		say.M("This is a limit of the role, not a server setting. Show the limits: SELECT rolname, rolconnlimit FROM "+
			"pg_roles WHERE rolconnlimit >= 0; Change it for new connections (-1 is no limit): ALTER ROLE ROLE_NAME "+
			"CONNECTION LIMIT N;"),
		say.M("First check what its sessions do: SELECT state, application_name, count(*) FROM pg_stat_activity "+
			"WHERE usename = 'ROLE_NAME' GROUP BY 1, 2;"))
	if ok {
		for _, x := range r.Connections.Roles[:min(len(r.Connections.Roles), maxSamples)] {
			f.Evidence = append(f.Evidence, named(x, say.M("role {name}", "name", x.Name), say.M("other roles")))
		}
	}
	return f, ok
}

func (c *Collector) databaseLimit(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.DatabaseLimit, "database_limit", Warning,
		"Connection limit of a database reached: {n} attempt refused",
		"Connection limit of a database reached: {n} attempts refused",
		say.M("This is a limit of the database, not a server setting. Show the limits: SELECT datname, datconnlimit "+
			"FROM pg_database WHERE datconnlimit >= 0; Change it for new connections (-1 is no limit): ALTER "+
			"DATABASE DATABASE_NAME CONNECTION LIMIT N;"))
	if ok {
		for _, x := range r.Connections.Databases[:min(len(r.Connections.Databases), maxSamples)] {
			f.Evidence = append(f.Evidence, named(x, say.M("database {name}", "name", x.Name),
				say.M("other databases")))
		}
	}
	return f, ok
}

func (c *Collector) sendersLimit(*Report) (Finding, bool) {
	return c.finding(pglog.SendersLimit, "wal_senders_limit", Warning, "max_wal_senders reached: {n} attempt refused",
		"max_wal_senders reached: {n} attempts refused",
		say.M("SELECT * FROM pg_stat_replication; shows who uses them. Standbys, pg_basebackup and logical "+
			"subscribers use one or two each. A higher max_wal_senders requires a restart, first on the standbys."))
}

func (c *Collector) noSuchName(*Report) (Finding, bool) {
	return c.finding(pglog.NoSuchName, "no_such_database_or_role", Notice,
		"Database or role does not exist: {n} attempt refused", "Database or role does not exist: {n} attempts refused",
		say.M("Without -U and -d, pg_isready and psql use the name of the operating system user: set both options in "+
			"health checks. Otherwise check the settings of the client, and on a standby, that it belongs to the "+
			"intended primary."))
}

func (c *Collector) auth(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.AuthFailed, "authentication_failed", Notice, "Authentication failed: {n} attempt refused",
		"Authentication failed: {n} attempts refused")
	if !ok {
		return f, false
	}
	switch {
	case c.reasons["Role"] > 0 || c.reasons["no password"] > 0:
		f.Do = append(f.Do, say.M("The DETAIL, which is only in the server log, shows the reason. Create a missing "+
			"role with CREATE ROLE ROLE_NAME LOGIN; and set a missing password with \\password ROLE_NAME in psql."))
	case c.reasons["hba"] > 0:
		f.Do = append(f.Do, say.M("No line of pg_hba.conf allows these connections, or a line rejects them: the "+
			"first line that matches decides. SELECT * FROM pg_hba_file_rules; shows the lines in order."))
	default:
		f.Do = append(f.Do, say.M("If the attempts are by a known user, the password was probably changed in only "+
			"one place."))
	}
	f.Do = append(f.Do, say.M("If they come from an unknown address, this may be an attack: block its access to the "+
		"port."))
	return f, true
}

// reasonOf notes why authentication failed, which is in the DETAIL.
func (c *Collector) reasonOf(e *pglog.Entry) {
	why := ""
	switch {
	case bytes.HasPrefix(e.Message, []byte("no pg_hba.conf")),
		bytes.HasPrefix(e.Message, []byte("pg_hba.conf rejects")):
		why = "hba"
	case bytes.HasPrefix(e.Detail, []byte("Role ")):
		why = "Role"
	case bytes.Contains(e.Detail, []byte("no password assigned")):
		why = "no password"
	default:
		return
	}
	if c.reasons == nil {
		c.reasons = names{}
	}
	c.reasons.add(why)
}
