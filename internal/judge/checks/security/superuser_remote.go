package security

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// SuperuserRemote takes the first line that rejects a remote superuser as the intention to reject all
// of them.
var SuperuserRemote = check.Check{
	ID:       "superuser_remote",
	Area:     check.Security,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Remote superuser login allowed",
	Why: "A superuser can read and write files and run programs as the owner of the server. Its password " +
		"therefore protects that account of the host. Over the network, anyone who reaches the port can try " +
		"passwords. Superuser passwords are also found in the settings of programs that do not need this right.",
	Do: "Above the named lines, add one line per superuser that rejects it, for example host all postgres all " +
		"reject, and reload. Administer the server over the socket, through SSH. Give programs their own " +
		"roles, with pg_monitor or pg_maintain (17 and later) if they need more rights.",
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
		var told []say.Message
		for _, r := range rules {
			if !isRule(r) || !isRemote(r) || !r.Superusers || r.Replication {
				continue
			}
			if r.Method == "reject" {
				break
			}
			if r.Method != "trust" { // reported by hba_trust
				told = append(told, rule(r, method(r)))
			}
		}
		if len(told) > 0 {
			c.Found("{lines}; listen_addresses = '{listen}'.", "lines", say.List{Items: told, Most: 5},
				"listen", listen)
		}
	},
}
