package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

// groupFrom is how many commits a second there are where 1C's vendor sets it.
const groupFrom = 1000

var commitDelay = Rule{
	Address: knob.PG("commit_delay"),
	Title:   "how long a commit waits for others to share its flush",
	Why:     "Where a flush is slow and commits come by the thousand, a wait of microseconds lets one flush serve several of them. Everywhere else it only makes each commit slower. Commits that wait for the same flush are grouped without it.",
	Formula: "0 where commits were counted for a day and are fewer than 1000 a second on average; a value that was set for more, or that nothing was counted for, stays. It is never raised: that needs pgbench on this storage, and half of the time that pgfettle probe measured for a flush is where to begin.",
	Sources: []string{"pg-config-wal", "pg-wal-configuration", "its-1c"},
	Decide: func(c *Case) {
		rate, span, counted := c.commits()
		half, by, measured := c.halfFlush()
		switch {
		case c.now() == 0 && counted && rate >= groupFrom && measured:
			c.Keep("no commit waits for others; at {rate} commits a second {half} microseconds, half of a measured flush ({by}), are worth a try with pgbench", "rate", int64(rate), "half", half, "by", by)
		case c.now() == 0:
			c.Keep("no commit waits for others")
		case !counted:
			c.Keep("{present} microseconds stay: commits were not counted for a day", "present", c.shown())
		case rate >= groupFrom && measured:
			c.Keep("{rate} commits a second, over {span}, may share a flush; half of a measured one is {half} microseconds ({by})", "rate", int64(rate), "span", span, "half", half, "by", by)
		case rate >= groupFrom:
			c.Keep("{rate} commits a second, over {span}, may share a flush", "rate", int64(rate), "span", span)
		default:
			c.Set(0, "{rate} commits a second, over {span}, are too few to share a flush: each only waits {present} microseconds", "rate", int64(rate), "span", span, "present", c.shown())
		}
	},
}
