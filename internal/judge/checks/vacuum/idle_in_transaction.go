package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// 5 minutes is a usual idle_in_transaction_session_timeout: no application needs
// longer between two statements. In an hour, autovacuum has had sixty rounds
// (autovacuum_naptime is 1 minute) in which it could not remove new dead rows.
const (
	idleLong    = 5 * 60
	idleHarmful = 60 * 60
)

// IdleInTransaction counts aborted transactions too: their session stays in the
// transaction until the client sends ROLLBACK.
var IdleInTransaction = check.Check{
	ID:       "idle_in_transaction",
	Area:     check.Vacuum,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Sessions idle in transaction",
	Why: "An open transaction keeps its locks: a schema change queues behind them, and every later query behind " +
		"it. If it has written or holds a snapshot, VACUUM cannot remove rows that died since, in the whole " +
		"database. Tables and indexes then bloat. The usual cause is an application that waits for a user or a " +
		"network call between BEGIN and COMMIT.",
	Do: "1. Find the session: SELECT pid, usename, application_name, xact_start FROM pg_stat_activity WHERE state " +
		"LIKE 'idle in transaction%' ORDER BY xact_start;\n" +
		"2. Terminate it (this rolls back its transaction): SELECT pg_terminate_backend(PID);\n" +
		"3. Set a limit (reload): ALTER SYSTEM SET idle_in_transaction_session_timeout = '10min'; SELECT " +
		"pg_reload_conf();",
	Commands: []check.Command{
		check.SQL(
			"SELECT pid, usename, application_name, xact_start FROM pg_stat_activity WHERE state LIKE 'idle in " +
				"transaction%' ORDER BY xact_start;"),
		check.SQL("ALTER SYSTEM SET idle_in_transaction_session_timeout = '10min';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-client", "pg-routine-vacuuming"},
	Judge: func(c *check.Case) {
		a, ok := check.Need(c, c.Instance.Server.Activity)
		if !ok {
			return
		}
		var n int64
		var oldest float64
		for _, state := range []string{"idle in transaction", "idle in transaction (aborted)"} {
			n += a.States[state].Count
			oldest = max(oldest, a.States[state].Oldest)
		}
		if n == 0 || oldest < idleLong {
			return
		}
		sev := check.Notice
		if oldest >= idleHarmful {
			sev = check.Warning
		}
		limit := say.M("idle_in_transaction_session_timeout is unknown.")
		set, _ := c.Instance.Server.Settings.Get()
		if v, ok := set["idle_in_transaction_session_timeout"]; ok && v.Show() == "0" {
			limit = say.M("idle_in_transaction_session_timeout = 0 (no limit).")
		} else if ok {
			limit = say.M("idle_in_transaction_session_timeout = {limit}.", "limit", v.Show())
		}
		c.That(sev, say.M(c.Remedy()), say.All("; ", say.N(n,
			"{n} session idle in transaction for {oldest}; oldest xmin age of all sessions: {xmin}",
			"{n} sessions idle in transaction (longest: {oldest}); oldest xmin age of all sessions: {xmin}",
			"oldest", say.Span(oldest), "xmin", check.Count(a.OldestBackendXmin)), limit))
	},
}
