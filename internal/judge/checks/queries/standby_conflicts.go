package queries

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// conflictsNotice per day is more than a deployment or a dropped table causes.
	conflictsNotice = 10
	// conflictsWarning per day is ten per hour: users notice it.
	conflictsWarning = 240
)

// StandbyConflicts is for standbys: a primary cancels no query for replay.
var StandbyConflicts = check.Check{
	ID:       "standby_conflicts",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Recovery conflicts cancel queries on this standby",
	Why: "VACUUM on the primary removes row versions that a query on the standby may still need, and DDL takes " +
		"locks that conflict with the query. Replay waits for the query up to max_standby_streaming_delay. " +
		"Then it cancels the query: \"canceling statement due to conflict with recovery\".",
	Do: "For short queries, set hot_standby_feedback = on and reload. The primary then keeps the rows, and its " +
		"tables bloat by what the longest query here holds back. This prevents only the conflicts that " +
		"pg_stat_database_conflicts counts in confl_snapshot. For reports that run for hours, raise " +
		"max_standby_streaming_delay on a separate standby that may lag.",
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
		told := say.List{Sep: "; ", Most: 3}
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
			told.Items = append(told.Items, say.N(d.Conflicts, "database {database}: {count} canceled query in {span}",
				"database {database}: {count} canceled queries in {span}", "database", d.Name,
				"count", check.Count(d.Conflicts), "span", say.Span(secs)))
		}
		if len(told.Items) > 0 {
			c.FoundAs(sev, "{list}; hot_standby_feedback = {feedback}, max_standby_streaming_delay = {delay}.",
				"list", told, "feedback", set["hot_standby_feedback"].Show(), "delay",
				set["max_standby_streaming_delay"].Show())
		}
	},
}
