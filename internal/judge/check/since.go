package check

import (
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// Now returns the time of the server's clock, which is the one that stamped
// what is compared with it.
func (c *Case) Now() int64 {
	if a, ok := c.Instance.Server.Access.Get(); ok && a.Now > 0 {
		return a.Now
	}
	return c.Snapshot.TakenAt
}

// CountedFor returns for how many seconds the counters of a database have been
// counting. ok is false if that is unknown, and below limits.Hour: a single report
// or a single start of an application is no habit.
func (c *Case) CountedFor(d pg.Database) (secs float64, ok bool) {
	since := d.StatsReset
	if since == 0 {
		// A database whose statistics were never reset (15+) counts since all
		// statistics began, which the checkpointer's own timestamp shows.
		if cp, ok := c.Instance.Server.Checkpoints.Get(); ok {
			since = cp.StatsReset
		}
	}
	secs = float64(c.Now() - since)
	return secs, since > 0 && secs >= limits.Hour
}
