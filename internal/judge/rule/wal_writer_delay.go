package rule

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
)

var walWriterDelay = Rule{
	Address: knob.PG("wal_writer_delay"),
	Title:   "how often the WAL writer flushes what asynchronous commits left",
	Why:     "A session with synchronous_commit = off loses at most three times this in a crash. A longer delay saves next to nothing on a server; it is a setting for laptops.",
	Formula: "200 ms, the default, where it is longer; less stays. The desktop profile keeps what it has.",
	Sources: []string{"pg-config-wal"},
	Decide: func(c *Case) {
		have, ok := c.Seconds(c.rule.Address)
		switch {
		case !ok:
		case have <= 0.2 || c.Options.Profile == Desktop:
			c.Keep("asynchronous commits are flushed every {present}", "present", c.shown())
		default:
			c.Set(200*time.Millisecond, "an asynchronous commit may be lost for three times {present} after it; 200 ms is the default and costs nothing", "present", c.shown())
		}
	},
}
