package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var OldSnapshotThreshold = rule.Rule{
	Address: knob.PG("old_snapshot_threshold"),
	Title:   "Snapshot age limit (removed in 17)",
	Why: "It was meant to limit bloat from queries that run for days. It slows down every snapshot and can cause " +
		"wrong results from indexes. PostgreSQL 17 removed it and does not start with it.",
	Formula: "-1 (off).",
	Sources: []string{"pg-config-resource", "pg-release-notes"},
	To:      16,
	Decide: func(c *rule.Case) {
		if c.Now() < 0 {
			c.Keep("already off")
			return
		}
		c.Set("-1", "{present} slows down every snapshot; 17 removed the setting and does not start with it",
			"present", c.Shown())
	},
}
