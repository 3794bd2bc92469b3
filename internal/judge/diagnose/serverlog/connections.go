package serverlog

import (
	"bytes"
	"fmt"

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
	f, ok := c.finding(pglog.TooMany, "too_many_connections", Warning, "no connection was left, {n}",
		"A pooler (transaction mode) in front serves more clients with fewer sessions; a higher max_connections "+
			"needs a restart and memory for each, page tables included: pgfettle plan.",
		"Look at who holds them idle: SELECT usename, application_name, state, count(*) FROM pg_stat_activity GROUP "+
			"BY 1,2,3 ORDER BY 4 DESC.")
	if ok && r.Connections.Untold == c.kinds[pglog.TooMany].count {
		f.Verdict = "connections were turned away by a limit, " + times(f.Count) +
			": that of the server, of a role or of a database"
	}
	return f, ok
}

func (c *Collector) roleLimit(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.RoleLimit, "role_limit", Warning,
		"connections were turned away by the connection limit of a role, {n}: the server has more",
		"The role's own limit: SELECT rolname, rolconnlimit FROM pg_roles WHERE rolconnlimit >= 0 shows it, "+
			"ALTER ROLE "+
			"NAME CONNECTION LIMIT N changes it at once (-1: none). No setting of the server does.",
		"Look at what its sessions do before raising it: SELECT state, application_name, count(*) FROM "+
			"pg_stat_activity WHERE usename = 'NAME' GROUP BY 1,2.")
	if ok {
		for _, x := range r.Connections.Roles[:min(len(r.Connections.Roles), maxSamples)] {
			f.Evidence = append(f.Evidence, fmt.Sprintf("role %s: %s", x.Name, times(x.Count)))
		}
	}
	return f, ok
}

func (c *Collector) databaseLimit(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.DatabaseLimit, "database_limit", Warning,
		"connections were turned away by the connection limit of a database, {n}: the server has more",
		"The database's own limit: SELECT datname, datconnlimit FROM pg_database WHERE datconnlimit >= 0 shows it, "+
			"ALTER DATABASE NAME CONNECTION LIMIT N changes it at once (-1: none). No setting of the server does.")
	if ok {
		for _, x := range r.Connections.Databases[:min(len(r.Connections.Databases), maxSamples)] {
			f.Evidence = append(f.Evidence, fmt.Sprintf("database %s: %s", x.Name, times(x.Count)))
		}
	}
	return f, ok
}

func (c *Collector) sendersLimit(*Report) (Finding, bool) {
	return c.finding(pglog.SendersLimit, "wal_senders_limit", Warning,
		"standbys or backups were turned away by max_wal_senders, {n}",
		"SELECT * FROM pg_stat_replication shows who has them. Standbys, pg_basebackup and logical subscribers take "+
			"one or two each; a higher max_wal_senders needs a restart, first on the standbys.")
}

func (c *Collector) noSuchName(*Report) (Finding, bool) {
	return c.finding(pglog.NoSuchName, "no_such_database_or_role", Notice,
		"clients named a database or a role that does not exist, {n}",
		"A health check that names none takes the account's name: pg_isready and psql want -U and -d. Else look at "+
			"the client's settings; on a standby, whether it is one of this server.")
}

func (c *Collector) auth(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.AuthFailed, "authentication_failed", Notice,
		"connections were turned away by authentication, {n}")
	if !ok {
		return f, false
	}
	switch {
	case c.reasons["Role"] > 0 || c.reasons["no password"] > 0:
		f.Do = append(f.Do, "The DETAIL, which only the log has, tells the reason: a role that does not exist is made "+
			"by CREATE ROLE … LOGIN PASSWORD …, a password is set by ALTER ROLE … PASSWORD … (\\password in psql).")
	case c.reasons["hba"] > 0:
		f.Do = append(f.Do,
			"pg_hba.conf has no line that lets them in: the first line that fits decides; SELECT * FROM "+
				"pg_hba_file_rules shows them in order.")
	default:
		f.Do = append(f.Do, "Many of one user of your own are a password that was changed in one place only.")
	}
	f.Do = append(f.Do, "Many from one address that nobody knows are an attack: close the port to it.")
	return f, true
}

// reasonOf notes why authentication failed, which the DETAIL tells.
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
