package wal

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var CheckpointTimeout = rule.Rule{
	Address: knob.PG("checkpoint_timeout"),
	Title:   "the time between two checkpoints",
	Why: "After each checkpoint the first change of every page writes the whole page into the WAL, so fewer " +
		"checkpoints mean much less WAL and fewer writes of the same page. " +
		"They also mean more WAL to replay after a crash.",
	Formula: "15 minutes; anything from 10 minutes up stays, as that is a choice about recovery time. The desktop " +
		"profile keeps what it has.",
	Sources: []string{"pg-wal-configuration", "pg-config-wal", "dalibo-j1"},
	Decide: func(c *rule.Case) {
		have, ok := c.Seconds(knob.PG("checkpoint_timeout"))
		switch {
		case !ok:
		case have >= 600 || c.Options.Profile == rule.Desktop:
			c.Keep("{present} between checkpoints stays", "present", c.Shown())
		default:
			c.Set(15*time.Minute,
				"{present} between checkpoints writes whole pages into the WAL more often than needed; a quarter of "+
					"an hour of WAL is replayed in minutes", "present", c.Shown())
		}
	},
}
