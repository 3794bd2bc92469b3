package security

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// clearMethods are those by which the client sends the password itself.
var clearMethods = map[string]bool{"password": true, "ldap": true, "radius": true, "pam": true, "bsd": true}

// HbaCleartext skips loopback: anyone who can listen there controls the host.
var HbaCleartext = check.Check{
	ID:       "hba_cleartext",
	Area:     check.Security,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Clear-text password authentication without enforced TLS",
	Why: "With the methods password, ldap, radius, pam and bsd, the client sends the password itself, not a " +
		"proof of it. On a connection without TLS, anyone on the network path can read it. With ldap, radius " +
		"and pam it is usually the central password of the user. A line of type host also allows connections " +
		"without TLS.",
	Do: "In these lines, replace host or hostnossl by hostssl (requires ssl = on), and the method password by " +
		"scram-sha-256. Then reload: SELECT pg_reload_conf(); Change the passwords that were already sent over " +
		"the network.",
	Commands: []check.Command{
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-hba", "pg-auth-methods"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if _, outside := check.ListensOutside(set); !outside {
			return
		}
		rules, ok := check.Need(c, c.Instance.Server.HBA)
		if !ok {
			return
		}
		var told []say.Message
		for _, r := range rules {
			if clearMethods[r.Method] && isRule(r) && isRemote(r) && (r.Type == "host" || r.Type == "hostnossl") {
				told = append(told, rule(r, method(r)))
			}
		}
		if len(told) > 0 {
			c.Found("{lines}.", "lines", say.List{Items: told, Most: 5})
		}
	},
}
