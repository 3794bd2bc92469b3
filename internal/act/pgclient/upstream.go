package pgclient

import (
	"context"
	"errors"
	"net"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pgpass"
)

// Upstream is the server that a standby follows, as the account of the standby reaches it: its sockets as that account,
// and with the password that is in a file of that account, or none. What the environment has is of another account.
type Upstream struct {
	Conninfo string // keywords and values, without a password
	Passfile string // "": none
	// Files are what that account may read, and As the account itself; nil: who we are
	Files target.Target
	As    *target.User
}

// ForReplication is the name that password files and pg_hba.conf have for what a standby connects to.
const ForReplication = "replication"

// Replication connects as a standby does. The error is a *say.Problem or the context's.
func (u Upstream) Replication(ctx context.Context) (*pgconn.PgConn, error) {
	cfg, err := u.config(ForReplication)
	if err != nil {
		return nil, err
	}
	cfg.RuntimeParams["replication"] = "true"
	return u.open(ctx, cfg)
}

// Database connects to a database; "" is the one of the connection string, or the usual ones. The error is a
// *say.Problem or the context's.
func (u Upstream) Database(ctx context.Context, name string) (*pgconn.PgConn, error) {
	var first error
	for _, db := range databases(name) {
		cfg, err := u.config(db)
		if err != nil {
			return nil, err
		}
		conn, err := u.open(ctx, cfg)
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
		if p, ok := errors.AsType[*refused](err); !ok || p.cause != "3D000" && p.cause != "28000" {
			break // another database would be as far away
		}
	}
	return nil, first
}

func (u Upstream) config(database string) (*pgconn.Config, error) {
	cfg, err := pgconn.ParseConfig(u.Conninfo + " " + Keyword("dbname", database) + Keyword("password", ""))
	if err != nil {
		return nil, notParsed(err)
	}
	if name := unknownKeyword(cfg.RuntimeParams); name != "" {
		return nil, notAKeyword(name, false)
	}
	dial := cfg.DialFunc
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if network == "unix" {
			return dialAs(ctx, u.As, -1, address)
		}
		return dial(ctx, network, address)
	}
	if err := (Connect{}).prepare(cfg); err != nil {
		return nil, err
	}
	delete(cfg.RuntimeParams, "options")
	cfg.Password = ""
	if u.Passfile != "" {
		text, err := u.Files.ReadFile(u.Passfile, pgpass.MaxFile)
		if err != nil {
			return nil, &say.Problem{Message: say.M("{file} cannot be read", "file", u.Passfile),
				Detail: say.OfError(err), Code: say.CodeNoAccess}
		}
		who := pgpass.Entry{Host: cfg.Host, Port: strconv.Itoa(int(cfg.Port)), Database: database, User: cfg.User}
		var ok bool
		cfg.Password, ok = pgpass.Find(string(text), who)
		if network, _ := pgconn.NetworkAddress(cfg.Host, cfg.Port); !ok && network == "unix" {
			who.Host = "localhost" // as files have the default directory of sockets
			cfg.Password, _ = pgpass.Find(string(text), who)
		}
	}
	return cfg, nil
}

func (u Upstream) open(ctx context.Context, cfg *pgconn.Config) (*pgconn.PgConn, error) {
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err == nil {
		return conn, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, refusal(err, cfg)
}
