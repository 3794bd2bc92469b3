package security

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TlsOff is a warning if any host is allowed; a private network can be trusted.
var TlsOff = check.Check{
	ID:       "tls_off",
	Area:     check.Security,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Remote connections without TLS",
	Why: "With ssl = off, queries and rows cross the network unencrypted, and with some methods passwords do, " +
		"too. SCRAM protects the password, but not the session: anyone on the network path can read and change " +
		"it.",
	Do: "Put server.crt and server.key (mode 0600, owned by the owner of the server) into the data directory. Turn " +
		"TLS on (reload): ALTER SYSTEM SET ssl = on; SELECT pg_reload_conf();\nThen replace host by hostssl in " +
		"pg_hba.conf and reload. Set sslmode=verify-full on the clients.",
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
		sev, who := check.Notice, say.M("rules of pg_hba.conf: unknown")
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
			who = say.M("lines of pg_hba.conf that allow other hosts: {lines}, any host: {all}", "lines", lines, "all",
				all)
			if all > 0 {
				sev = check.Warning
			}
		}
		c.FoundAs(sev, "ssl = off, listen_addresses = '{listen}'; {who}.", "listen", listen, "who", who)
	},
}
