package security

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// HbaTrust is critical only if the line allows other hosts and the server listens there; on the socket,
// trust is the default of initdb.
var HbaTrust = check.Check{
	ID:       "hba_trust",
	Area:     check.Security,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "trust authentication: login without a password",
	Why: "trust requires no password: anyone who can connect this way can log in as any role that the line " +
		"names. A superuser can also read and write files and run programs as the owner of the server. On the " +
		"socket and on loopback, every account and program of this host can connect, including every " +
		"vulnerable web application.",
	Do: "Keep a superuser session open while you change the authentication. Set passwords for the roles " +
		"(\\password in psql). In pg_hba.conf, replace trust by scram-sha-256, or by peer for the socket. Then " +
		"reload: SELECT pg_reload_conf(); Verify that this query returns no rows: SELECT * FROM " +
		"pg_hba_file_rules WHERE error IS NOT NULL;",
	Commands: []check.Command{
		check.SQL("SELECT pg_reload_conf();"),
		check.SQL("SELECT * FROM pg_hba_file_rules WHERE error IS NOT NULL;"),
	},
	Sources: []string{"pg-hba", "pg-auth-methods", "dalibo-j1"},
	Judge: func(c *check.Case) {
		rules, ok := check.Need(c, c.Instance.Server.HBA)
		if !ok {
			return
		}
		set, ok := c.Settings()
		if !ok {
			return
		}
		listen, outside := check.ListensOutside(set)
		sev := check.Notice
		var told, near []say.Message
		for _, r := range rules {
			if r.Method != "trust" || !isRule(r) {
				continue
			}
			if !isRemote(r) {
				near = append(near, rule(r))
				continue
			}
			told = append(told, rule(r))
			if outside {
				sev = max(sev, check.Critical)
			} else {
				sev = max(sev, check.Warning)
			}
		}
		told = append(told, near...)
		if len(told) == 0 {
			return
		}
		seen := say.M("trust in {rules}; listen_addresses = '{listen}'.", "rules", say.List{Items: told, Most: 6},
			"listen", listen)
		if _, set := set.Text("listen_addresses"); !set { // a part of a configuration, without it
			seen = say.M("trust in {rules}.", "rules", say.List{Items: told, Most: 6})
		}
		if kinds, ok := c.Instance.Server.Passwords.Get(); ok {
			var n int64
			for _, k := range kinds {
				n += k.Roles
			}
			seen = say.All(" ", seen, say.M("Login roles on this server: {roles}.", "roles", n))
		}
		c.That(sev, say.M(c.Remedy()), seen)
	},
}
