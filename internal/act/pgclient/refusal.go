package pgclient

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// maxReason bounds what is repeated of a server's message: two lines.
const maxReason = 300

// Hints for a person whose connection was refused.
const (
	hintPassword = "put the password into .pgpass or PGPASSWORD, or run pgfettle as root or as the owner of the " +
		"data directory"
	hintNamed = "name the server, as in pgfettle check 'host=… user=…', or let the owner of the data directory " +
		"in by peer in pg_hba.conf"
	hintRole = "name a role that the server lets in, with user= or PGUSER, or run pgfettle as root or as the " +
		"owner of the data directory"
	hintSlots    = "the last superuser_reserved_connections are kept for superusers: connect as one"
	HintStarting = "try again when the server accepts connections; its log says what it is doing"
	hintDatabase = "name another database with dbname= or PGDATABASE"
	hintRunning  = "see whether the server runs there, and whether host and port are right"
	hintSocket   = "run pgfettle as root or as a user that unix_socket_permissions lets in"
	hintTimeout  = "check whether a firewall drops the packets, or the server hangs; " +
		"connect_timeout= waits longer"
	hintConninfo = "write it as 'host=… port=… dbname=… user=…' or postgresql://user@host:port/dbname"
	hintTLS      = "see sslmode, sslrootcert and the server's ssl settings"
)

// refusal turns the error of a connection attempt into an error for people, with its cause. A password that a server
// repeats is not repeated.
func refusal(err error, cfg *pgconn.Config) error {
	where, cause := address(cfg), CauseOf(err)
	p := &say.Problem{Code: say.CodeError}
	switch cause {
	case pg.Stranger:
		var stranger *strangerError
		errors.As(err, &stranger)
		p.Code, p.Message = say.CodeNoAccess, say.OfError(stranger)
	case pg.AsksPassword:
		p.Code, p.Hint = say.CodeNoAccess, say.M(hintNamed)
		p.Message = say.M("the server at {where} asks for a password, which pgfettle gives only to a server that you "+
			"name", "where", where)
	case pg.UnknownHost:
		p.Message, p.Hint = say.M("the host name {host} is not known", "host", say.Quoted(cfg.Host)), say.M(hintRunning)
	case pg.TimedOut:
		p.Message, p.Hint = say.M("the server at {where} did not answer within {timeout}", "where", where,
			"timeout", cfg.ConnectTimeout),
			say.M(hintTimeout)
	case pg.NoListener:
		p.Message, p.Hint = say.M("no server listens at {where}", "where", where), say.M(hintRunning)
	case pg.NoSocket:
		p.Message, p.Hint = say.M("there is no server socket at {where}", "where", where), say.M(hintRunning)
	case pg.ClosedSocket:
		p.Code, p.Message, p.Hint = say.CodeNoAccess, say.M("no permission to connect to {where}", "where", where),
			say.M(hintSocket)
	case pg.Lost:
		p.Message, p.Detail, p.Hint = say.M("the connection to {where} failed", "where", where),
			say.Text(plain(innermost(err).Error(), cfg.Password)),
			say.M(hintRunning)
		if strings.Contains(err.Error(), "tls") || strings.Contains(err.Error(), "TLS") {
			p.Hint = say.M(hintTLS)
		}
	default:
		p.Message, p.Detail = say.Text(plain(reason(err), cfg.Password)), say.M("the server at {where} refused the "+
			"connection", "where", where)
		switch cause {
		case "28P01":
			p.Code, p.Hint = say.CodeNoAccess, say.M(hintPassword)
		case "28000":
			p.Code, p.Hint = say.CodeNoAccess, say.M(hintRole)
		case "42501":
			p.Code, p.Hint = say.CodeNoAccess, say.M(hintDatabase)
		case "3D000", "55000":
			p.Hint = say.M(hintDatabase)
		case "53300":
			p.Hint = say.M(hintSlots)
		case "57P03":
			p.Hint = say.M(HintStarting)
		}
	}
	return &refused{p, cause}
}

// notParsed reports a malformed connection string. It repeats none of it, because a malformed one may contain a
// password anywhere.
func notParsed(err error) error {
	p := &say.Problem{Message: say.M("the connection string is not valid"), Hint: say.M(hintConninfo),
		Code: say.CodeUsage}
	for _, what := range []string{"invalid port", "sslmode is invalid", "invalid connect_timeout",
		"unknown target_session_attrs value",
		"failed to configure TLS", "failed to read service"} {
		if strings.Contains(err.Error(), what) {
			p.Detail = say.Text(what)
		}
	}
	return p
}

// notAKeyword reports an unknown keyword of a connection string. What does not look like one may be a piece of a
// password with a space in it, and is not repeated then.
func notAKeyword(name string, password bool) error {
	p := &say.Problem{Message: say.M("the connection string has a keyword that is not known"),
		Hint: say.M("write it as 'host=… port=… dbname=… user=…' or postgresql://user@host:port/dbname; a setting " +
			"goes into options='-c NAME=VALUE'"), Code: say.CodeUsage}
	near := say.Similar(name, slices.Concat(understood, sent, clientOnly))
	if len(near) > 0 {
		p.Hint = say.M("did you mean {near}?", "near", near[0])
	}
	if len(near) > 0 || !password && plainKeyword.MatchString(name) {
		p.Detail = say.M("{keyword}", "keyword", say.Quoted(name))
	}
	return p
}

// plainKeyword is how keywords and the names of settings are spelled.
var plainKeyword = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.]{0,62}$`)

// address names the server as a person would look for it.
func address(cfg *pgconn.Config) string {
	network, addr := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	if network == "unix" {
		return addr
	}
	return plain(addr, cfg.Password)
}

// innermost returns the cause at the bottom of a chain of errors; of several
// that were joined, the last one's.
func innermost(err error) error {
	for {
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			if e.Unwrap() == nil {
				return err
			}
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			all := e.Unwrap()
			if len(all) == 0 {
				return err
			}
			err = all[len(all)-1]
		default:
			return err
		}
	}
}

// plain makes one bounded line of a foreign text, without the secret in it.
func plain(s, secret string) string {
	if secret != "" {
		s = strings.ReplaceAll(s, secret, "xxxxx")
	}
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if r := []rune(s); len(r) > maxReason {
		s = string(r[:maxReason]) + "…"
	}
	return strings.TrimSpace(s)
}
