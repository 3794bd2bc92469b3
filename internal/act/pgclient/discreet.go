package pgclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// discreet keeps secrets from a server that the user did not name: anyone who can start a process can call it postgres
// and ask for a password. We connect only by methods that ask for none (peer, trust), and only if the listener runs as
// the account of the instance.
func (c Connect) discreet(cfg *pgconn.Config) {
	if !c.Found {
		return
	}
	if !c.Secrets {
		cfg.Password, cfg.KerberosSrvName, cfg.KerberosSpn = "", "", ""
		cfg.TLSConfig, cfg.SSLNegotiation, cfg.Fallbacks = nil, "", nil
		cfg.RequireAuth = "none"
		cfg.ChannelBinding = "disable"
	}
	delete(cfg.RuntimeParams, "options") // PGOPTIONS are for the server that PGHOST names
	dial := cfg.DialFunc
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if network == "unix" {
			return dialAs(ctx, c.As, c.Peer, address)
		}
		if err := c.listens(address); err != nil {
			return nil, err
		}
		return dial(ctx, network, address)
	}
}

// listens reports whether the account of the instance listens at a TCP address of this host. The kernel reports this
// for every listener, without a connection.
func (c Connect) listens(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if c.Peer < 0 {
		return &strangerError{address: address, uid: -1, want: c.Peer}
	}
	uid := -1
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, err := (&target.Local{}).ReadFile(name, host.MaxNetTCP)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(b)) {
			l, ok := host.ParseListener(line)
			if !ok || l.At.Port() != at.Port() {
				continue
			}
			if a := l.At.Addr().Unmap(); a != at.Addr().Unmap() && !a.IsUnspecified() {
				continue
			}
			if l.UID != c.Peer { // of several that share the port any could answer
				return &strangerError{address: address, uid: l.UID, want: c.Peer}
			}
			uid = l.UID
		}
	}
	if uid != c.Peer {
		return &strangerError{address: address, uid: -1, want: c.Peer}
	}
	return nil
}

// guards are keywords of libpq that protect who connects and that pgconn does not have: what can be done here is done,
// and what cannot be is refused rather than skipped. Each stands beside its variable.
var guards = map[string]string{
	"requirepeer": "PGREQUIREPEER", "ssl_min_protocol_version": "PGSSLMINPROTOCOLVERSION",
	"ssl_max_protocol_version": "PGSSLMAXPROTOCOLVERSION",
	"sslcrl":                   "PGSSLCRL", "sslcrldir": "PGSSLCRLDIR", "gssencmode": "PGGSSENCMODE",
	"requiressl": "PGREQUIRESSL",
}

var tlsVersions = map[string]uint16{"TLSv1": tls.VersionTLS10, "TLSv1.1": tls.VersionTLS11, "TLSv1.2": tls.VersionTLS12,
	"TLSv1.3": tls.VersionTLS13}

// guarded puts the guards of a conninfo into force. The error is a *say.Problem.
func guarded(cfg *pgconn.Config) error {
	for name, variable := range guards {
		value := cfg.RuntimeParams[name]
		delete(cfg.RuntimeParams, name)
		if value == "" {
			value = os.Getenv(variable)
		}
		if value == "" {
			continue
		}
		not := &say.Problem{Message: say.M("{name}={value} cannot be kept to here", "name", name, "value", plain(value,
			cfg.Password)),
			Code: say.CodeRefused,
			Hint: say.M("leave it out to connect without that protection")}
		switch name {
		case "requirepeer":
			requirePeer(cfg, value)
		case "ssl_min_protocol_version", "ssl_max_protocol_version":
			v, ok := tlsVersions[value]
			if !ok {
				return not
			}
			each := []*tls.Config{cfg.TLSConfig}
			for _, f := range cfg.Fallbacks {
				each = append(each, f.TLSConfig)
			}
			for _, c := range each {
				switch {
				case c == nil:
				case name == "ssl_min_protocol_version":
					c.MinVersion = v
				default:
					c.MaxVersion = v
				}
			}
		case "gssencmode":
			if value == "require" {
				return not
			}
		case "requiressl":
			if value != "0" {
				not.Hint = say.M("write sslmode=require")
				return not
			}
		default:
			return not
		}
	}
	return nil
}

// requirePeer lets only a server of the named user be spoken to over a socket.
func requirePeer(cfg *pgconn.Config, name string) {
	dial := cfg.DialFunc
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil || network != "unix" {
			return conn, err
		}
		uid, err := peerOf(conn)
		if err == nil && !isUser(uid, name) {
			err = fmt.Errorf("requirepeer=%s, and %s is served by user id %d", name, address, uid)
		}
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return conn, nil
	}
}
