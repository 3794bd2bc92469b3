package durability

import (
	"regexp"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// syncCount takes the number of standbys out of the forms FIRST n (…), ANY n
// (…) and n (…); a bare list or * means one.
var syncCount = regexp.MustCompile(`(?i)^\s*(?:(?:first|any)\s+)?(\d+)\s*\(`)

// SyncStandbyMissing is critical: no transaction that writes can commit.
var SyncStandbyMissing = check.Check{
	ID:       "sync_standby_missing",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Synchronous standby missing: commits hang",
	Why: "With synchronous_standby_names set, COMMIT returns only when the required number of the listed standbys " +
		"has confirmed it. Without them it waits indefinitely, with no error and no log message. Sessions " +
		"accumulate with the wait event SyncRep until no connection is left.",
	Do: "1. Bring the standby back, or verify that its application_name (in primary_conninfo, else cluster_name) " +
		"is in the list.\n" +
		"2. Temporary workaround: let the primary commit without a standby (reload; waiting sessions continue at " +
		"once). If the primary is then lost, so are these commits: ALTER SYSTEM SET synchronous_standby_names = " +
		"''; SELECT pg_reload_conf();\n" +
		"3. List two standbys, so that one can fail: synchronous_standby_names = 'ANY 1 (STANDBY_A, STANDBY_B)'",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET synchronous_standby_names = '';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-replication", "pg-system-views"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		names, ok := set.Text("synchronous_standby_names")
		if !ok || names == "" {
			return
		}
		if v, _ := set.Text("synchronous_commit"); v == "off" || v == "local" {
			return // only transactions that ask for it wait
		}
		standby, ok := check.Need(c, c.Instance.Server.Recovery)
		if !ok || standby {
			return // it waits for no standby before it is promoted
		}
		replicas, ok := check.Need(c, c.Instance.Server.Replicas)
		if !ok {
			return
		}
		need, have := 1, 0
		if m := syncCount.FindStringSubmatch(names); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				return
			}
			need = n
		}
		for _, r := range replicas {
			if r.State == "" { // all but the process is hidden; the gap of the lag has the reason
				if _, ok := check.Need(c, r.Lag); !ok {
					return
				}
			}
			if r.Sync == "sync" || r.Sync == "quorum" {
				have++
			}
		}
		if have >= need {
			return
		}
		waiting := say.M("the number of active sessions is unknown.")
		if a, ok := c.Instance.Server.Activity.Get(); ok {
			waiting = say.M("active sessions: {waiting}.", "waiting", a.States["active"].Count)
		}
		c.That(check.Critical, say.M(c.Remedy()), say.All("; ", say.M(
			"Synchronous standbys required: {need}, connected: {have} (synchronous_standby_names = '{names}')",
			"have", have, "need", need, "names", names), waiting))
	},
}
