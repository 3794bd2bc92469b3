package durability

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// SynchronousNamesAny does not depend on whether there are standbys at all.
var SynchronousNamesAny = check.Check{
	ID:       "synchronous_names_any",
	Area:     check.Durability,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "synchronous_standby_names = '*' accepts any WAL receiver",
	Why: "With * in synchronous_standby_names, a commit can wait for any connection that receives WAL: " +
		"pg_receivewal on the same host, a backup in progress, or a deliberately delayed standby. A commit is " +
		"then acknowledged although it is on one host only, or it waits for a slow receiver.",
	Do: "List the standbys by application_name or cluster_name (reload): ALTER SYSTEM SET " +
		"synchronous_standby_names = 'ANY 1 (STANDBY_A, STANDBY_B)'; SELECT pg_reload_conf();",
	Sources: []string{"pg-config-replication"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		v, ok := set.Text("synchronous_standby_names")
		if !ok || !strings.Contains(v, "*") {
			return
		}
		c.Found("synchronous_standby_names = '{v}'.", "v", v)
	},
}
