package start

import (
	"net/netip"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StartPortTaken is critical if every address is in use: the server starts if it can
// listen on one.
var StartPortTaken = check.Check{
	ID:       "start_port_taken",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Port is already in use",
	Why: "Two processes cannot listen on the same address and port. If all of listen_addresses are in use, the " +
		"server stops with \"could not create any TCP/IP sockets\". If some are free, it starts with a " +
		"warning, and clients of the others reach the other process.",
	Do: "Stop the process that listens there, or set another port in postgresql.conf: port = NUMBER\n" +
		"Often it is a second PostgreSQL server, started manually or by another service, or the forwarded " +
		"port of a container.",
	Sources: []string{"pg-config-connection", "pg-server-start"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		s, ok := check.Need(c, c.Instance.Start.Sockets)
		if !ok || len(s.Addresses) == 0 {
			return
		}
		var taken []string
		var by []say.Message
		listed := map[string]bool{}
		for _, a := range s.Addresses {
			if l, ok := listenerAt(s.Listeners, a); ok {
				taken = append(taken, a)
				if key := l.Program + "\x00" + strconv.Itoa(l.PID); !listed[key] {
					listed[key] = true
					by = append(by, check.Process(l.Program, l.PID))
				}
			}
		}
		pairs := []any{"port", strconv.Itoa(s.Port), "taken", say.Names(taken, 5), "by", say.List{Items: by, Most: 5}}
		switch {
		case len(taken) == 0:
		case len(taken) < len(s.Addresses):
			c.FoundAs(check.Warning, "Port {port} on {taken} is in use by {by}; other addresses are free.", pairs...)
		default:
			c.Found("Port {port} on {taken} is in use by {by}.", pairs...)
		}
	},
}

// listenerAt finds the socket that blocks an address. A socket on :: also has the IPv4
// addresses, unless its program disables that, as the server does.
func listenerAt(listeners []pg.StartListener, address string) (pg.StartListener, bool) {
	want, err := netip.ParseAddr(address)
	if err != nil {
		return pg.StartListener{}, false // a name that was not looked up
	}
	for _, l := range listeners {
		at, err := netip.ParseAddr(l.Address)
		switch {
		case err != nil:
		case at == want, at == netip.IPv6Unspecified(), want.Is4() == at.Is4() &&
			(at.IsUnspecified() || want.IsUnspecified()):
			return l, true
		}
	}
	return pg.StartListener{}, false
}
