package creation

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// wide is the shortest prefix of a network that is no network of all addresses: a site's own is /8 at most.
const wide = 8

// localMethods and hostMethods are what may be asked for. trust lets everybody in, ident and password trust the
// network, md5 is deprecated, and a line with ldap, radius or cert is none without options or TLS: the server would not
// start.
var (
	localMethods = []string{"peer", "scram-sha-256", "pam"}
	hostMethods  = []string{"scram-sha-256", "gss", "pam", "reject"}
)

// The methods that are not asked for, which are pg_createcluster's own too.
const localDefault, hostDefault = "peer", "scram-sha-256"

// network decides how the server is reached.
func (l *Layout) network(at Site) error {
	o := &l.Order
	if o.AuthLocal == "" {
		o.AuthLocal = localDefault
	}
	if o.AuthHost == "" {
		o.AuthHost = hostDefault
	}
	if !slices.Contains(localMethods, o.AuthLocal) {
		return badMethod("--auth-local", o.AuthLocal, localMethods)
	}
	if !slices.Contains(hostMethods, o.AuthHost) {
		return badMethod("--auth-host", o.AuthHost, hostMethods)
	}
	for method, built := range map[string]bool{"gss": l.Programs.GSS, "pam": l.Programs.PAM} {
		if !built && (o.AuthLocal == method || o.AuthHost == method) {
			return refuse(say.M("the programs in {dir} were built without {method}", "dir", l.Programs.Bin, "method",
				method), say.M("the server would not start with it in pg_hba.conf"), say.M("use scram-sha-256"))
		}
	}
	if o.AuthLocal == "scram-sha-256" && !o.Password && o.Primary == nil {
		return refuse(say.M("with --auth-local scram-sha-256 nobody could log in"), say.M("the superuser would have "+
			"no "+
			"password"), say.M("give it one with --ask-password or --password-file, or keep --auth-local peer"))
	}
	if o.AuthHost == "pam" && len(o.Allow) > 0 {
		return refuse(say.M("with --auth-host pam, clients would send their passwords in clear text"),
			say.M("the lines of --allow accept connections without TLS, and with pam the server gets the password "+
				"itself"), say.M("use scram-sha-256 or gss with --allow"))
	}
	for _, n := range o.Allow {
		if n.Bits() >= wide || o.OpenNetwork {
			continue
		}
		return refuse(say.M("--allow {network} lets {addresses} connect", "network", n.String(), "addresses",
			addresses(n)), say.M("who can reach the port can try passwords, and use what the next security fix is for"),
			say.M("name the networks of your clients, or accept it with --accept-risk open-network"))
	}
	switch l.Firewall {
	case "":
		l.Firewall = NoFirewall
		if len(o.Allow) > 0 {
			l.Firewall = Print
		}
	case Firewalld:
		if !at.Firewalld {
			return refuse(say.M("firewalld does not run here"), say.Message{}, say.M("use --firewall nft, print or "+
				"none"))
		}
	case NFT:
		if !at.NFT {
			return refuse(say.M("the program nft is not installed"), say.Message{}, say.M("use --firewall print or "+
				"none"))
		}
	}
	return nil
}

func badMethod(flag, method string, known []string) error {
	detail := say.Message{}
	switch method {
	case "trust":
		detail = say.M("trust lets everybody log in as any role, the superuser too")
	case "md5":
		detail = say.M("md5 passwords are deprecated, and scram-sha-256 is there in every supported version")
	case "password":
		detail = say.M("password sends passwords in clear text")
	case "ldap", "radius", "cert":
		detail = say.M("{method} needs options or TLS, and the server would not start without them", "method", method)
	}
	return refuse(say.M("{flag} {method} is not written", "flag", flag, "method", say.Quoted(method)), detail,
		say.M("use one of {names}; other lines can be added to pg_hba.conf later", "names", say.Names(known, 0)))
}

func addresses(n netip.Prefix) say.Message {
	if n.Bits() == 0 {
		return say.M("every address")
	}
	return say.M("2^{bits} addresses", "bits", strconv.Itoa(n.Addr().BitLen()-n.Bits()))
}

// hba is the whole of pg_hba.conf: the socket, and over TCP who was allowed. Every line passes the checks of
// pg_hba.conf.
func (l *Layout) hba() string {
	var b strings.Builder
	b.WriteString("# Written by 'pgfettle create'. The first line that fits decides; see 'pgfettle explain " +
		"authentication'.\n" +
		"# TYPE  DATABASE        USER            ADDRESS                 METHOD\n")
	line := func(kind, database, user, address, method string) {
		b.WriteString(strings.TrimRight(pad(kind, 8)+pad(database, 16)+pad(user, 16)+pad(address, 24)+method, " ") +
			"\n")
	}
	line("local", "all", "all", "", l.Order.AuthLocal)
	line("local", "replication", "all", "", l.Order.AuthLocal)
	for _, at := range []string{"127.0.0.1/32", "::1/128"} {
		line("host", "all", "all", at, l.Order.AuthHost)
		line("host", "replication", "all", at, l.Order.AuthHost)
	}
	b.WriteString(l.allowed())
	return b.String()
}

// allowed are the lines of the networks that may connect. The superuser is not among who may come from there.
func (l *Layout) allowed() string {
	var b strings.Builder
	for _, n := range l.Order.Allow {
		for _, who := range []struct{ user, method string }{{l.superuser(), "reject"}, {"all", l.Order.AuthHost}} {
			b.WriteString(pad("host", 8) + pad("all", 16) + pad(who.user, 16) + pad(n.String(), 24) + who.method + "\n")
		}
	}
	return b.String()
}

func pad(s string, n int) string {
	if len(s) >= n {
		return s + " "
	}
	return s + strings.Repeat(" ", n-len(s))
}
