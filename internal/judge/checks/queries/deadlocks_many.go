package queries

import (
	"fmt"
	"sort"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// deadlocksHourly: one an hour all the time comes from a pair of code paths that
	// take locks in different orders, and no longer from chance.
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
	Title:    "Transactions deadlock again and again",
	Why: "A deadlock is found only after deadlock_timeout, while both transactions and all that wait behind them " +
		"stand still; then one of them fails and its work is lost unless the " +
		"application tries again. No setting prevents them: the application takes the same locks in different orders.",
	Do: "Read the server log for \"deadlock detected\": its DETAIL has both statements (log_lock_waits = on shows " +
		"the waits before). Let all code paths lock rows and tables in one order " +
		"(SELECT … ORDER BY id FOR UPDATE before an update of many rows), keep transactions short, and try a failed " +
		"one again.",
	Sources: []string{"pg-monitoring", "pg-config-logging"},
	Judge: func(c *check.Case) {
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		type locked struct {
			text string
			rate float64
		}
		var list []locked
		for _, d := range dbs {
			secs, ok := c.CountedFor(d)
			rate := float64(d.Deadlocks) * 3600 / secs
			if !ok || d.Deadlocks < deadlocksSome || rate < deadlocksHourly {
				continue
			}
			list = append(list, locked{fmt.Sprintf("database %s: %d in %s, %.0f an hour", d.Name, d.Deadlocks,
				say.Span(secs), rate), rate})
		}
		if len(list) == 0 {
			return
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].rate > list[j].rate })
		told := make([]string, len(list))
		for i, l := range list {
			told[i] = l.text
		}
		c.Found("{databases}.", "databases", check.Join(told, "; ", 3))
	},
}
