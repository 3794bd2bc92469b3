package wal

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var WalWriterDelay = rule.Rule{
	Address: knob.PG("wal_writer_delay"),
	Title:   "WAL writer flush interval",
	Why: "A crash loses at most the last 3 × wal_writer_delay of commits with synchronous_commit = off. A longer " +
		"interval saves almost nothing on a server; it is meant for laptops.",
	Formula: "200 ms, the default, if it is longer. Shorter intervals stay. The desktop profile keeps its value.",
	Sources: []string{"pg-config-wal"},
	Decide: func(c *rule.Case) {
		have, ok := c.Seconds(c.Rule.Address)
		switch {
		case !ok:
		case have <= 0.2 || c.Options.Profile == rule.Desktop:
			c.Keep("asynchronous commits are flushed every {present}", "present", c.Shown())
		default:
			c.Set(200*time.Millisecond,
				"asynchronous commits can be lost for 3 × {present}; 200 ms is the default and costs nothing",
				"present", c.Shown())
		}
	},
}
