package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var CheckpointFlushAfter = rule.Rule{
	Address: knob.PG("checkpoint_flush_after"),
	Title:   "Checkpoint writeback distance",
	Why: "With 0, all writes of a checkpoint stay in the page cache until its final fsync, and all sessions wait for " +
		"that.",
	Formula: "256 kB, the default, if it is 0. Other values stay, and so does 0 on ZFS, which ignores it.",
	Sources: []string{"pg-config-wal"},
	Decide: func(c *rule.Case) {
		have, ok := c.Bytes(c.Rule.Address)
		switch {
		case !ok:
		case have > 0:
			c.Keep("writeback starts after {present}", "present", c.Shown())
		case c.Snapshot.AllOnZFS():
			c.Keep("ZFS ignores the writeback request")
		default:
			c.Set(256*unit.KB,
				"with 0, the final fsync of a checkpoint writes everything while sessions wait; 256 kB is the default")
		}
	},
}
