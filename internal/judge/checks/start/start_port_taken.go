package start

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StartPortTaken is critical where every address is taken: the server starts as long
// as it can listen at one.
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
		var taken, by []string
		for _, a := range s.Addresses {
			if l, ok := listenerAt(s.Listeners, a); ok {
				taken = append(taken, a)
				if name := check.ProcessName(l.Program, l.PID); !slices.Contains(by, name) {
					by = append(by, name)
				}
			}
		}
		pairs := []any{"port", strconv.Itoa(s.Port), "taken", check.Join(taken, ", ", 5), "by", check.Join(by, ", ", 5)}
		switch {
		case len(taken) == 0:
		case len(taken) < len(s.Addresses):
			c.FoundAs(check.Warning, "Port {port} is taken on {taken} by {by}; other addresses are free.", pairs...)
		default:
			c.Found("Port {port} is taken on {taken} by {by}.", pairs...)
		}
	},
}

// listenerAt finds who keeps a server from an address. A socket at :: has the addresses
// of IPv4 as well, unless its program has forbidden that; the server's own does.
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
