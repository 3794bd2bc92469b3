package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var CheckpointCompletionTarget = rule.Rule{
	Address: knob.PG("checkpoint_completion_target"),
	Title:   "the share of the time between checkpoints over which one is spread",
	Why: "A checkpoint that hurries fills the disk's queue and stalls everybody who waits for a flush. Spread " +
		"over almost the whole interval it is hardly seen.",
	Formula: "0.9, the default since 14 (0.5 in 13); a greater present value stays.",
	Sources: []string{"pg-config-wal", "pg-wal-configuration", "pg-release-notes"},
	// 0.85 spreads a checkpoint of 15 minutes over 12:45 instead of 13:30.
	Tolerance: 0.06,
	Decide: func(c *rule.Case) {
		if c.Now() >= 0.9 {
			c.Keep("checkpoints are spread over {present} of their interval", "present", c.Shown())
			return
		}
		c.Set(0.9, "{present} of the interval crowds the writes of a checkpoint; 0.9 is the default since 14",
			"present", c.Shown())
	},
}
