package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// feedbackNotice: at 10,000 writing transactions per second, the most that one
	// server does, that is half an hour; at the usual hundreds it is a day.
	feedbackNotice = 20_000_000
	// feedbackWarning is half of the default of autovacuum_freeze_max_age.
	feedbackWarning = 100_000_000
)

// StandbyHoldsHorizon is for connected consumers: hot_standby_feedback, and
// logical slots in use. Slots without a consumer are reported by
// slot_retains_wal.
var StandbyHoldsHorizon = check.Check{
	ID:       "standby_holds_horizon",
	Area:     check.Vacuum,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Standby or logical slot holds back the xmin horizon",
	Why: "With hot_standby_feedback, a query on the standby keeps rows on the primary as a local transaction " +
		"would, but pg_stat_activity of the primary does not show it. A logical slot keeps rows of the system " +
		"catalogs until its subscriber confirms. Meanwhile tables, or the catalogs, bloat.",
	Do: "1. On the standby named here, find old queries: SELECT pid, xact_start, left(query, 100) FROM " +
		"pg_stat_activity WHERE backend_xmin IS NOT NULL ORDER BY age(backend_xmin) DESC;\n" +
		"2. Terminate those that were forgotten, and set statement_timeout and " +
		"idle_in_transaction_session_timeout for their roles.\n" +
		"3. Run reports that take hours on a standby without hot_standby_feedback.\n" +
		"4. For a slot, find out why its subscriber does not confirm.",
	Commands: []check.Command{
		check.SQL(
			"SELECT pid, xact_start, left(query, 100) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL ORDER BY " +
				"age(backend_xmin) DESC;"),
	},
	Sources: []string{"pg-config-replication", "pg-routine-vacuuming", "pg-system-views"},
	Judge: func(c *check.Case) {
		replicas, ok := check.Need(c, c.Instance.Server.Replicas)
		if !ok {
			return
		}
		slots, ok := check.Need(c, c.Instance.Server.Slots)
		if !ok {
			return
		}
		var told []say.Message
		var oldest int64
		note := func(age int64, text say.Template, pairs ...any) {
			if age >= feedbackNotice {
				told = append(told, say.M(text, append(pairs, "n", check.Count(age))...))
				oldest = max(oldest, age)
			}
		}
		for _, r := range replicas {
			if r.Lag.State() == known.Forbidden { // and so are all other columns but its process
				c.Missing(r.Lag.Gap())
			}
			note(r.XminAge, "{name}: xmin age {n}", "name", r.Name)
		}
		for _, s := range slots {
			if s.Active {
				note(s.XminAge, "{kind} slot {name}: xmin age {n}", "kind", s.Kind, "name", s.Name)
			}
		}
		if len(told) == 0 {
			return
		}
		sev := check.Notice
		if oldest >= feedbackWarning {
			sev = check.Warning
		}
		c.FoundAs(sev, "{list}.", "list", say.List{Items: told, Sep: "; ", Most: 5})
	},
}
