package queries

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// conflictsNotice a day are more than what a deploy or a dropped table makes.
	conflictsNotice = 10
	// conflictsWarning a day are ten an hour: users meet it.
	conflictsWarning = 240
)

// StandbyConflicts is for standbys: a primary cancels no query for replay.
var StandbyConflicts = check.Check{
	ID:       "standby_conflicts",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Queries on this standby are cancelled by replay",
	Why: "VACUUM on the primary removes rows that a query on the standby may still want to see, and DDL there takes " +
		"locks that the query holds here. Replay waits for the query up to " +
		"max_standby_streaming_delay and then cancels it: «canceling statement due to conflict with recovery».",
	Do: "For short queries set hot_standby_feedback = on and reload: the primary then keeps the rows, and swells by " +
		"what the longest query here holds back. For reports of hours rather raise " +
		"max_standby_streaming_delay on a standby of their own, which may lag behind. pg_stat_database_conflicts " +
		"tells the kinds; feedback helps against confl_snapshot only.",
	Sources: []string{"pg-config-replication", "pg-monitoring"},
	Judge: func(c *check.Case) {
		if standby, ok := check.Need(c, c.Instance.Server.Recovery); !ok || !standby {
			return
		}
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		set, ok := c.Settings()
		if !ok {
			return
		}
		sev := check.Notice
		var told []string
		for _, d := range dbs {
			secs, ok := c.CountedFor(d)
			if !ok || d.Conflicts < conflictsNotice {
				continue
			}
			day := float64(d.Conflicts) * 86400 / secs
			if day < conflictsNotice {
				continue
			}
			if day >= conflictsWarning {
				sev = check.Warning
			}
			told = append(told, fmt.Sprintf("database %s: %s in %s", d.Name, check.Count(d.Conflicts),
				say.Span(secs)))
		}
		if len(told) > 0 {
			c.FoundAs(sev, "{list}; hot_standby_feedback = {feedback}, max_standby_streaming_delay = {delay}.", "list",
				check.Join(told, "; ", 3),
				"feedback", set["hot_standby_feedback"].Show(), "delay", set["max_standby_streaming_delay"].Show())
		}
	},
}
