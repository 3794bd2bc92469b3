package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// churn returns how many rows are updated and deleted in a second, over all
// databases that were counted for a day; ok is false without one.
func churn(c *rule.Case) (rate float64, span say.Span, ok bool) {
	dbs, _ := c.Instance.Server.Databases.Get()
	for _, d := range dbs {
		if secs, counted := c.Instance.Server.CountedFor(d); counted && secs >= memory.MeasuredLeast {
			rate += max(float64(d.Updated)+float64(d.Deleted), 0) / secs
			span, ok = max(span, say.Span(secs)), true
		}
	}
	return rate, span, ok
}

// largestChanging returns the rows of the largest table that is updated or
// deleted from, of all databases that were asked; ok is false without --deep.
func largestChanging(c *rule.Case) (rows int64, ok bool) {
	tables, ok := c.Instance.Server.Deep.Tables.Get()
	for _, t := range tables {
		if t.Changed > 0 {
			rows = max(rows, t.Live)
		}
	}
	return rows, ok && rows > 0
}
