package security

import "github.com/pgfettle/pgfettle/internal/judge/check"

// clearMethods are those by which the client sends the password itself.
var clearMethods = map[string]bool{"password": true, "ldap": true, "radius": true, "pam": true, "bsd": true}

// HbaCleartext leaves loopback alone: who can listen there owns the host.
var HbaCleartext = check.Check{
	ID:       "hba_cleartext",
	Area:     check.Security,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Passwords cross the network in the clear",
	Why: "With these methods the server gets the password itself, not a proof of it. On a connection without TLS " +
		"everybody on the way can read " +
		"it, and for ldap, radius and pam it is the password of the whole company. A line that says host lets " +
		"connections without TLS in.",
	Do: "Write hostssl in place of host in these lines, and scram-sha-256 in place of password; then SELECT " +
		"pg_reload_conf();. Change the " +
		"passwords that have crossed the network already.",
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
		var told []string
		for _, r := range rules {
			if clearMethods[r.Method] && isRule(r) && isRemote(r) && (r.Type == "host" || r.Type == "hostnossl") {
				told = append(told, ruleText(r)+" with "+r.Method)
			}
		}
		if len(told) > 0 {
			c.Found("{lines}.", "lines", check.Join(told, ", ", 5))
		}
	},
}
