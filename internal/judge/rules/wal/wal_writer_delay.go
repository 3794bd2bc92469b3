package wal

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var WalWriterDelay = rule.Rule{
	Address: knob.PG("wal_writer_delay"),
	Title:   "how often the WAL writer flushes what asynchronous commits left",
	Why: "A session with synchronous_commit = off loses at most three times this in a crash. A longer delay " +
		"saves next to nothing on a server; it is a setting for laptops.",
	Formula: "200 ms, the default, where it is longer; less stays. The desktop profile keeps what it has.",
	Sources: []string{"pg-config-wal"},
	Decide: func(c *rule.Case) {
		have, ok := c.Seconds(c.Rule.Address)
		switch {
		case !ok:
		case have <= 0.2 || c.Options.Profile == rule.Desktop:
			c.Keep("asynchronous commits are flushed every {present}", "present", c.Shown())
		default:
			c.Set(200*time.Millisecond,
				"an asynchronous commit may be lost for three times {present} after it; 200 ms is the default and "+
					"costs nothing", "present", c.Shown())
		}
	},
}
