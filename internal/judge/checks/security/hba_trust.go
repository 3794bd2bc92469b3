package security

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// HbaTrust is critical only where the line reaches beyond the host and the server listens there; on
// the socket it is what initdb leaves unless told otherwise.
var HbaTrust = check.Check{
	ID:       "hba_trust",
	Area:     check.Security,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Somebody may log in without a password",
	Why: "trust asks for nothing: whoever reaches the server by that way is whichever role he names, the superuser " +
		"included, who may read and " +
		"write files and run programs as the owner of the server. On the socket and on loopback that is every " +
		"account and every program of this " +
		"host, and every web application with a hole in it.",
	Do: "Give the roles passwords (\\password in psql) and put scram-sha-256, or peer for the socket, in place of " +
		"trust in pg_hba.conf; then " +
		"SELECT pg_reload_conf(); and see that SELECT * FROM pg_hba_file_rules WHERE error IS NOT NULL; is empty. " +
		"Keep one way in for yourself " +
		"while you change it.",
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
		var told, near []string
		for _, r := range rules {
			if r.Method != "trust" || !isRule(r) {
				continue
			}
			if !isRemote(r) {
				near = append(near, ruleText(r))
				continue
			}
			told = append(told, ruleText(r))
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
		without := ""
		if kinds, ok := c.Instance.Server.Passwords.Get(); ok {
			var n int64
			for _, k := range kinds {
				n += k.Roles
			}
			without = fmt.Sprintf("; number of roles that it is open to: %d", n)
		}
		c.FoundAs(sev, "trust in {rules}{without} (listen_addresses = '{listen}').", "rules", check.Join(told, ", ", 6),
			"without", without, "listen", listen)
	},
}
