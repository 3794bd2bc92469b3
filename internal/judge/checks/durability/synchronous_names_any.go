package durability

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// SynchronousNamesAny does not say whether there are standbys at all.
var SynchronousNamesAny = check.Check{
	ID:       "synchronous_names_any",
	Area:     check.Durability,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Any receiver of WAL counts as a synchronous standby",
	Why: "With * in synchronous_standby_names every connection that receives WAL may be the one that a commit waits " +
		"for: also a pg_receivewal on " +
		"the same host, a backup in progress, or a standby that was set up to lag. A commit is then told safe that " +
		"is on one machine only, or " +
		"waits for one that is slow by intent.",
	Do: "Name the standbys by their application_name (or cluster_name): ALTER SYSTEM SET synchronous_standby_names " +
		"= 'ANY 1 (a, b)'; SELECT " +
		"pg_reload_conf();.",
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
