package wal

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var CheckpointTimeout = rule.Rule{
	Address: knob.PG("checkpoint_timeout"),
	Title:   "Maximum time between checkpoints",
	Why: "After each checkpoint, the first change of every page writes a full-page image to WAL. Fewer checkpoints " +
		"cause much less WAL and fewer repeated page writes, but more WAL to replay after a crash.",
	Formula: "15 min. 10 min and more stays, as a choice about recovery time. The desktop profile keeps its value.",
	Sources: []string{"pg-wal-configuration", "pg-config-wal", "dalibo-j1"},
	Decide: func(c *rule.Case) {
		have, ok := c.Seconds(knob.PG("checkpoint_timeout"))
		switch {
		case !ok:
		case have >= 600 || c.Options.Profile == rule.Desktop:
			c.Keep("{present} between checkpoints stays", "present", c.Shown())
		default:
			c.Set(15*time.Minute,
				"{present} between checkpoints causes more full-page images than needed; 15 min of WAL is replayed "+
					"within minutes", "present", c.Shown())
		}
	},
}
