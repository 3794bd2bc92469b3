package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var CheckpointFlushAfter = rule.Rule{
	Address: knob.PG("checkpoint_flush_after"),
	Title:   "after how much a checkpoint asks the kernel to begin writing",
	Why: "With 0 everything that a checkpoint writes waits in the kernel's cache for the fsync at its end, and " +
		"all sessions wait with it.",
	Formula: "256 kB, the default, where it is 0; all else stays, and so does a server on ZFS, which does not listen.",
	Sources: []string{"pg-config-wal"},
	Decide: func(c *rule.Case) {
		have, ok := c.Bytes(c.Rule.Address)
		switch {
		case !ok:
		case have > 0:
			c.Keep("the kernel begins to write after {present}", "present", c.Shown())
		case c.Snapshot.AllOnZFS():
			c.Keep("ZFS writes when its own time comes")
		default:
			c.Set(256*unit.KB,
				"0 leaves all writing to the fsync at the end of the checkpoint, when every session waits; 256 kB "+
					"is the default")
		}
	},
}
