package security

import "github.com/pgfettle/pgfettle/internal/judge/check"

// SuperuserRemote takes the first line that rejects some superuser from afar as the intention to keep
// all of them out: who wrote it thought of it.
var SuperuserRemote = check.Check{
	ID:       "superuser_remote",
	Area:     check.Security,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Superusers may log in from other hosts",
	Why: "A superuser can read and write files and run programs as the owner of the server, so his password is that " +
		"of the host. From afar it can " +
		"be tried by whoever reaches the port, and found in the settings of programs that never needed such a right.",
	Do: "Put a line above the named ones that keeps superusers out, such as: host all postgres all reject (one for " +
		"each superuser), and reload. " +
		"Administer over the socket, through ssh; give programs roles of their own, with pg_monitor or pg_maintain " +
		"where they need more.",
	Sources: []string{"pg-hba"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		listen, outside := check.ListensOutside(set)
		if !outside {
			return
		}
		rules, ok := check.Need(c, c.Instance.Server.HBA)
		if !ok {
			return
		}
		var told []string
		for _, r := range rules {
			if !isRule(r) || !isRemote(r) || !r.Superusers || r.Replication {
				continue
			}
			if r.Method == "reject" {
				break
			}
			if r.Method != "trust" { // hba_trust tells
				told = append(told, ruleText(r)+" with "+r.Method)
			}
		}
		if len(told) > 0 {
			c.Found("{lines} (listen_addresses = '{listen}').", "lines", check.Join(told, ", ", 5), "listen", listen)
		}
	},
}
