package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// xactLong: reports, pg_dump and loads may take hours; six hours exceed a
	// night's window, and autovacuum has had 360 rounds.
	xactLong = 6 * 3600
	// xactHarmful: after a day, every dead row of a day's work is still there.
	xactHarmful = 24 * 3600
)

// LongTransactions is for active transactions; sessions that are idle in a
// transaction have their own check, which is the cause if both fire.
var LongTransactions = check.Check{
	ID:       "long_transactions",
	Area:     check.Vacuum,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Long-running transaction",
	Why: "If a long transaction has written or holds a snapshot, VACUUM cannot remove or freeze rows that died " +
		"since, in the whole database. Tables and indexes bloat, and queries on frequently changed rows read more " +
		"and more dead ones. Its locks stay as well.",
	Do: "1. Find the session: SELECT pid, usename, application_name, state, xact_start, left(query, 100) FROM " +
		"pg_stat_activity WHERE xact_start < now() - interval '6 hours' ORDER BY xact_start;\n2. Let it finish if it " +
		"is a backup or a report that must run. Otherwise cancel it: SELECT pg_cancel_backend(PID);\n3. Move long " +
		"reports and dumps to a standby. In PostgreSQL 17 and later, limit a role with transaction_timeout.",
	Commands: []check.Command{
		check.SQL(
			"SELECT pid, usename, application_name, state, xact_start, left(query, 100) FROM pg_stat_activity WHERE " +
				"xact_start < now() - interval '6 hours' ORDER BY xact_start;"),
	},
	Sources:   []string{"pg-routine-vacuuming", "pg-config-client"},
	DependsOn: []string{"idle_in_transaction"},
	Judge: func(c *check.Case) {
		a, ok := check.Need(c, c.Instance.Server.Activity)
		if !ok || a.OldestXactAge < xactLong {
			return
		}
		sev := check.Notice
		if a.OldestXactAge >= xactHarmful {
			sev = check.Warning
		}
		c.FoundAs(sev,
			"The oldest client transaction has been open for {age}; oldest xmin age of all sessions: {xmin}.",
			"age", say.Span(a.OldestXactAge), "xmin", check.Count(a.OldestBackendXmin))
	},
}
