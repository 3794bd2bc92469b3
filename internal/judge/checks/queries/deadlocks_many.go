package queries

import (
	"sort"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// deadlocksHourly: a permanent rate of one per hour comes from code paths that take
	// locks in different orders, no longer from chance.
	deadlocksHourly = 1
	// deadlocksSome: fewer in all may be a single bad afternoon.
	deadlocksSome = 10
)

// DeadlocksMany goes by the rate since the statistics were reset.
var DeadlocksMany = check.Check{
	ID:       "deadlocks_many",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Frequent deadlocks",
	Why: "PostgreSQL detects a deadlock only after deadlock_timeout. Until then both transactions and all " +
		"sessions that wait for their locks are blocked. The server then cancels one of the transactions, and " +
		"its work is lost unless the application retries it. No setting prevents deadlocks: the application " +
		"takes the same locks in different orders.",
	Do: "Search the server log for \"deadlock detected\": its DETAIL shows both statements. Make all code " +
		"paths lock rows and tables in the same order, for example with SELECT … ORDER BY id FOR UPDATE before " +
		"an update of many rows. Keep transactions short, and retry those that fail with SQLSTATE 40P01. " +
		"log_lock_waits = on also logs lock waits longer than deadlock_timeout.",
	Sources: []string{"pg-monitoring", "pg-config-logging"},
	Judge: func(c *check.Case) {
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		type locked struct {
			seen say.Message
			rate float64
		}
		var list []locked
		for _, d := range dbs {
			secs, ok := c.CountedFor(d)
			rate := float64(d.Deadlocks) * 3600 / secs
			if !ok || d.Deadlocks < deadlocksSome || rate < deadlocksHourly {
				continue
			}
			list = append(list, locked{say.N(d.Deadlocks, "database {database}: {n} deadlock in {span} ({rate} per "+
				"hour)",
				"database {database}: {n} deadlocks in {span} ({rate} per hour)", "database", d.Name, "span",
				say.Span(secs),
				"rate", int64(rate+0.5)), rate})
		}
		if len(list) == 0 {
			return
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].rate > list[j].rate })
		told := say.List{Sep: "; ", Most: 3}
		for _, l := range list {
			told.Items = append(told.Items, l.seen)
		}
		c.Found("{databases}.", "databases", told)
	},
}
