package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var CheckpointCompletionTarget = rule.Rule{
	Address: knob.PG("checkpoint_completion_target"),
	Title:   "Fraction of the interval a checkpoint is spread over",
	Why: "A fast checkpoint fills the disk queue and delays every session that waits for a flush. Spread over most " +
		"of the interval, it is hardly noticeable.",
	Formula: "0.9, the default since 14 (0.5 in 13). Higher values stay.",
	Sources: []string{"pg-config-wal", "pg-wal-configuration", "pg-release-notes"},
	// 0.85 spreads a checkpoint of 15 minutes over 12:45 instead of 13:30.
	Tolerance: 0.06,
	Decide: func(c *rule.Case) {
		if c.Now() >= 0.9 {
			c.Keep("checkpoints are spread over {present} of the interval", "present", c.Shown())
			return
		}
		c.Set(0.9, "{present} of the interval concentrates the writes of a checkpoint; 0.9 is the default since 14",
			"present", c.Shown())
	},
}
