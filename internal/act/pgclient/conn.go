package pgclient

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Connect says how to reach a server: by a connection string, or through the socket in a directory. PG* variables and
// .pgpass fill in what is not said, except for a server that was found and not named: it gets nothing secret.
type Connect struct {
	Conninfo  string            // keywords and values, or a URI; "" is PG* variables alone; unused with SocketDir
	SocketDir string            // folder of the server's socket
	Port      int               // with SocketDir
	As        *target.User      // with SocketDir: who connects, where we are root; nil: ourselves
	User      string            // with SocketDir: the role to try first; "" is PGUSER or the user we are
	Database  string            // to connect to; "": the named one, or the usual ones
	Only      []string          // names of the queries to ask; nil: all
	Left      map[string]string // queries that are not asked, each with the reason of the gap that it leaves

	// Found says that the server was found, not named by the user. Peer is then the user ID that must be listening, -1
	// if unknown, and Secrets whether a password may be given all the same.
	Found   bool
	Peer    int
	Secrets bool
}

const (
	// connectTimeout bounds each attempt where connect_timeout does not: a
	// server that is there answers within one round trip and one fork.
	connectTimeout = 5 * time.Second
	// maxMessage bounds one message of a server; the longest honest one is a
	// row of pg_settings or pg_file_settings, some kilobytes.
	maxMessage = 4 << 20
	// applicationName is what pg_stat_activity and the log show of us.
	applicationName = "pgfettle"
)

// firstDatabase and lastDatabase are the databases to connect to if none is named: every cluster has them unless the
// first was dropped or closed.
const (
	firstDatabase = "postgres"
	lastDatabase  = "template1"
)

// superuser is the role that initdb makes under most packages; it is tried when
// the server does not let the given one in over its socket.
const superuser = "postgres"

// connect opens one connection. Settings that the whole session keeps are only
// those that every pooler passes on or answers itself: what else the queries
// need is set for each transaction, so that nothing of ours stays behind in a
// pooled connection. It returns the attempt that was let in as well. The error is
// a *say.Problem or the context's.
func (c Connect) connect(ctx context.Context) (*pgconn.PgConn, *pgconn.Config, error) {
	attempts, err := c.attempts()
	var p *say.Problem
	switch {
	case errors.As(err, &p):
		return nil, nil, p
	case err != nil:
		return nil, nil, notParsed(err)
	}
	var first error
	for i := 0; i < len(attempts); {
		cfg := attempts[i]
		conn, err := pgconn.ConnectConfig(ctx, cfg)
		if err == nil {
			return conn, cfg, nil
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if first == nil {
			first = refusal(err, cfg)
		}
		next := i + 1
		switch sqlstate(err) {
		case "28000", "28P01": // this role is not let in: its other database would not be either
			for next < len(attempts) && attempts[next].User == cfg.User {
				next++
			}
		case "3D000", "42501", "55000": // no such database, no right to it, or it accepts no connections
			if next < len(attempts) && attempts[next].User != cfg.User {
				next = len(attempts)
			}
		default:
			next = len(attempts)
		}
		i = next
	}
	return nil, nil, first
}

// attempts returns the configurations to try, in this order; the databases of
// one role stand together.
func (c Connect) attempts() ([]*pgconn.Config, error) {
	if c.SocketDir == "" {
		return c.conninfoAttempts()
	}
	users := []string{c.User}
	if c.User == "" {
		cfg, err := pgconn.ParseConfig("")
		if err != nil {
			return nil, err
		}
		users[0] = cfg.User
	}
	if users[0] != superuser {
		users = append(users, superuser)
	}
	var out []*pgconn.Config
	for _, user := range users {
		for _, db := range databases(cmp.Or(c.Database, os.Getenv("PGDATABASE"))) {
			// parsed again for each, because .pgpass distinguishes them
			cfg, err := pgconn.ParseConfig(Keyword("host", c.SocketDir) + Keyword("port", strconv.Itoa(c.Port)) +
				Keyword("user", user) + Keyword("dbname", db))
			if err != nil {
				return nil, err
			}
			if err := c.prepare(cfg); err != nil {
				return nil, err
			}
			out = append(out, cfg)
		}
	}
	return out, nil
}

func (c Connect) conninfoAttempts() ([]*pgconn.Config, error) {
	cfg, err := pgconn.ParseConfig(c.Conninfo)
	if err != nil {
		return nil, err
	}
	if c.Found {
		cfg.Database = os.Getenv("PGDATABASE")
	}
	if name := unknownKeyword(cfg.RuntimeParams); name != "" {
		return nil, notAKeyword(name, strings.Contains(strings.ToLower(c.Conninfo), "password"))
	}
	var out []*pgconn.Config
	for _, db := range databases(cmp.Or(c.Database, cfg.Database)) {
		one := cfg.Copy()
		if (cfg.Database == "" || c.Database != "") && !strings.Contains(c.Conninfo, "://") {
			if one, err = pgconn.ParseConfig(c.Conninfo + " " + Keyword("dbname", db)); err != nil {
				return nil, err
			}
		}
		one.Database = db
		if err := c.prepare(one); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// databases returns what to connect to: the named one alone, or the usual two.
func databases(named string) []string {
	if named != "" {
		return []string{named}
	}
	return []string{firstDatabase, lastDatabase}
}

// understood are the keywords that pgconn acts on.
var understood = []string{
	"host", "port", "dbname", "user", "password", "passfile", "connect_timeout", "sslmode", "sslkey", "sslcert",
	"sslcertmode", "sslrootcert",
	"sslnegotiation", "sslpassword", "sslsni", "krbsrvname", "target_session_attrs", "service", "min_protocol_version",
	"max_protocol_version",
	"channel_binding", "require_auth",
}

// sent are the keywords that go to the server as they are. pgconn sends every
// keyword that it does not know, and the server would take a slip of the finger
// for a setting that it does not have.
var sent = []string{"application_name", "client_encoding", "options"}

// unknownKeyword returns a keyword that libpq does not have, "" if there is none.
func unknownKeyword(params map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		switch {
		case slices.Contains(sent, name), slices.Contains(clientOnly, name):
		case name == "timezone" && params[name] == os.Getenv("PGTZ"): // pgconn's own, of the variable
		default:
			return name
		}
	}
	return ""
}

// Keyword spells one pair of a connection string.
func Keyword(name, value string) string {
	return name + "='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "' "
}

// clientOnly are keywords that libpq keeps to itself and pgconn would send to
// the server, which would refuse them.
var clientOnly = []string{
	"fallback_application_name", "gssdelegation", "gssencmode", "gsslib", "keepalives", "keepalives_count",
	"keepalives_idle",
	"keepalives_interval", "load_balance_hosts", "replication", "requirepeer", "requiressl", "scram_client_key",
	"scram_server_key", "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcompression", "sslcrl", "sslcrldir",
	"sslkeylogfile", "tcp_user_timeout",
}

// prepare sets what is the same for every attempt. The error is a *say.Problem.
func (c Connect) prepare(cfg *pgconn.Config) error {
	if err := guarded(cfg); err != nil {
		return err
	}
	maps.DeleteFunc(cfg.RuntimeParams, func(name, _ string) bool { return slices.Contains(clientOnly, name) })
	cfg.RuntimeParams["application_name"] = applicationName
	cfg.RuntimeParams["client_encoding"] = "UTF8"
	cfg.MaxProtocolMessageBodyLen = maxMessage
	cfg.OnNotice = func(*pgconn.PgConn, *pgconn.Notice) {}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	c.discreet(cfg)
	return nil
}

// sqlstate returns the server's error code; "" if no server spoke.
func sqlstate(err error) string {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return pe.Code
	}
	return ""
}

// Open opens one connection, for who has to do more than ask. The error is a
// *say.Problem or the context's. Nothing is set in the session.
func Open(ctx context.Context, how Connect) (*pgconn.PgConn, error) {
	conn, _, err := how.connect(ctx)
	return conn, err
}
