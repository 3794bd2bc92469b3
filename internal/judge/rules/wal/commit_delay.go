package wal

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// groupFrom is the commits per second at which 1C's vendor sets it.
const groupFrom = 1000

var CommitDelay = rule.Rule{
	Address: knob.PG("commit_delay"),
	Title:   "Group commit delay before the WAL flush",
	Why: "With slow flushes and thousands of commits per second, a delay of microseconds lets one flush serve " +
		"several commits. In all other cases it only delays each commit. Commits that wait for the same flush are " +
		"grouped without it.",
	Formula: "0 if at least one day of statistics shows fewer than 1000 commits per second on average. A higher " +
		"rate, or no statistics, keeps the value. It is never raised: that requires a test with pgbench on this " +
		"storage. Start with half of the flush time that pgfettle probe measures.",
	Sources: []string{"pg-config-wal", "pg-wal-configuration", "its-1c"},
	Decide: func(c *rule.Case) {
		rate, span, counted := commits(c)
		half, by, measured := halfFlush(c)
		switch {
		case c.Now() == 0 && counted && rate >= groupFrom && measured:
			c.Keep(
				"commits are not delayed; at a commit rate of {rate}/s, test {half} µs, half of a measured flush "+
					"({by}), with pgbench", "rate", int64(rate), "half", half, "by", by)
		case c.Now() == 0:
			c.Keep("commits are not delayed")
		case !counted:
			c.Keep("{present} µs stays: less than one day of commit statistics", "present", c.Shown())
		case rate >= groupFrom && measured:
			c.Keep(
				"at {rate} commits/s (over {span}), commits can share a flush; half of a measured flush is {half} µs "+
					"({by})", "rate", int64(rate), "span", span, "half", half, "by", by)
		case rate >= groupFrom:
			c.Keep("at {rate} commits/s (over {span}), commits can share a flush", "rate", int64(rate), "span", span)
		default:
			c.Set(0,
				"at {rate} commits/s (over {span}), commits are too few to share a flush: each only waits {present} µs",
				"rate", int64(rate), "span", span, "present", c.Shown())
		}
	},
}

// commits returns how many transactions are committed in a second, over all
// databases that were counted for a day; ok is false without one.
func commits(c *rule.Case) (rate float64, span say.Span, ok bool) {
	dbs, _ := c.Instance.Server.Databases.Get()
	for _, d := range dbs {
		if secs, counted := c.Instance.Server.CountedFor(d); counted && secs >= memory.MeasuredLeast {
			rate += max(float64(d.Commits), 0) / secs
			span, ok = max(span, say.Span(secs)), true
		}
	}
	return rate, span, ok
}

// halfFlush returns half of the measured time of a WAL flush, the value from which to start trying commit_delay; ok is
// false if it was not measured.
func halfFlush(c *rule.Case) (micros int64, by any, ok bool) {
	if _, ok := rule.Need(c, c.Snapshot.Measured); !ok {
		return 0, "", false
	}
	d, ok := c.Snapshot.MeasuredAt(c.Instance, snapshot.WALPlace)
	if !ok || d.Flush == nil {
		return 0, "", false
	}
	method, ok := c.Text(knob.PG("wal_sync_method"))
	if !ok {
		method = "fdatasync"
	}
	rate, ok := d.Flush.Rate(method)
	if !ok || rate <= 0 {
		return 0, "", false
	}
	return int64(math.Round(1e6 / rate / 2)), d.Flush.Author(), true
}
