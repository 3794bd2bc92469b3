package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var OldSnapshotThreshold = rule.Rule{
	Address: knob.PG("old_snapshot_threshold"),
	Title:   "after how long an old snapshot may be refused",
	Why: "It was to bound bloat by queries that run for days. It slows down every snapshot and could give wrong " +
		"results from an index; 17 took it away, and does not start with it.",
	Formula: "-1, off.",
	Sources: []string{"pg-config-resource", "pg-release-notes"},
	To:      16,
	Decide: func(c *rule.Case) {
		if c.Now() < 0 {
			c.Keep("it is off")
			return
		}
		c.Set("-1", "{present} slows every snapshot down; 17 removed it and does not start with it",
			"present", c.Shown())
	},
}
