package security

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TlsOff is a warning where every host is let in; a network of one's own may be trusted.
var TlsOff = check.Check{
	ID:       "tls_off",
	Area:     check.Security,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Connections from other hosts are not encrypted",
	Why: "With ssl = off everything crosses the network as it is: the queries, the rows, and with some methods the " +
		"passwords. With SCRAM the " +
		"password is safe, but not the session: whoever sits on the way can read and change it.",
	Do: "Put server.crt and server.key (mode 600, owned by the owner of the server) into the data directory, ALTER " +
		"SYSTEM SET ssl = on; SELECT " +
		"pg_reload_conf(); then write hostssl in place of host in pg_hba.conf, and sslmode=verify-full at the clients.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET ssl = on;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-connection", "pg-ssl"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("ssl"); !ok || v != "off" {
			return
		}
		listen, outside := check.ListensOutside(set)
		if !outside {
			return
		}
		sev, who := check.Notice, "who is let in from there could not be seen"
		if rules, ok := c.Instance.Server.HBA.Get(); ok {
			var lines, all int
			for _, r := range rules {
				if isRule(r) && isRemote(r) && r.Method != "reject" {
					lines++
					if r.Reach == "anywhere" {
						all++
					}
				}
			}
			if lines == 0 {
				return
			}
			who = fmt.Sprintf("lines of pg_hba.conf that let other hosts in: %d, every host: %d", lines, all)
			if all > 0 {
				sev = check.Warning
			}
		}
		c.FoundAs(sev, "ssl = off with listen_addresses = '{listen}'; {who}.", "listen", listen, "who", who)
	},
}
