package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// vacuumShares are the shares of a table's rows that may be dead, and may have
// changed, before it is vacuumed and analyzed. The defaults are 0.2 and 0.1.
var vacuumShares = map[rule.Profile]struct{ dead, changed float64 }{
	rule.Web:   {0.05, 0.02},
	rule.OLTP:  {0.05, 0.02},
	rule.Mixed: {0.1, 0.05},
	rule.OneC:  {0.01, 0.005}, // its vendor's, for tables that plans depend on
}

var AutovacuumVacuumScaleFactor = rule.Rule{
	Address: knob.PG("autovacuum_vacuum_scale_factor"),
	Title:   "Fraction of dead rows that triggers a vacuum",
	Why: "20% of a table of 100 million rows is 20 million dead rows, in every scan and every index. Earlier vacuums " +
		"split the work into small parts. Since 18, autovacuum_vacuum_max_threshold caps the threshold of very large " +
		"tables.",
	Formula: "web and oltp: 0.05, mixed: 0.1, 1c: 0.01. dw and desktop: at most 0.2, the default. Up to 17, with " +
		"--deep: the largest of 0.2, 0.1, 0.05, 0.02 and 0.01 that allows at most 5 million dead rows in the largest " +
		"changing table, else 0.005. Lower values stay.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming", "postgrespro-1c"},
	Decide: func(c *rule.Case) {
		most := 0.2
		if s, ok := vacuumShares[c.Options.Profile]; ok {
			most = s.dead
		}
		if share, rows, ok := shareOfLargest(c); ok && share < most {
			atMost(c, share,
				"rows in the largest changing table: {largest}; dead rows that trigger a vacuum: {now} with "+
					"{present}, {dead} with {most}",
				"largest", rows, "now", int64(c.Now()*float64(rows)), "dead", int64(share*float64(rows)))
			return
		}
		atMost(c, most,
			"with {present}, a table of 100 million rows is vacuumed at {rows} dead rows; with {most}, the work "+
				"comes in smaller parts")
	},
}

const (
	// deadMost is how many dead rows of one table may accumulate if its size is known: at a hundred rows a page they
	// are 400 MB, which a vacuum with the default limits reads and writes in half a minute.
	deadMost = 5e6
	// shareLeast: below it a table of a few million rows is vacuumed all the time.
	shareLeast = 0.005
)

// shareOfLargest returns the share of the rows of the largest changing table
// that makes no more than deadMost, of a few fixed ones: a table that grows a
// little does not move it. From 18 on autovacuum_vacuum_max_threshold is for that.
func shareOfLargest(c *rule.Case) (share float64, rows int64, ok bool) {
	if _, capped := c.Param("autovacuum_vacuum_max_threshold"); capped {
		return 0, 0, false
	}
	rows, ok = largestChanging(c)
	if !ok {
		return 0, 0, false
	}
	for _, s := range []float64{0.2, 0.1, 0.05, 0.02, 0.01} {
		if s*float64(rows) <= deadMost {
			return s, rows, true
		}
	}
	return shareLeast, rows, true
}

// atMost keeps a present share that is not above most, else it sets most. The
// text may speak of present, rows (of 100 million) and most.
func atMost(c *rule.Case, most float64, text say.Template, more ...any) {
	have := c.Now()
	if have <= most {
		c.Keep("{present} is low enough for the {profile} profile", "present", c.Shown(), "profile",
			string(c.Options.Profile))
		return
	}
	c.Set(most, text, append([]any{"present", c.Shown(), "rows", int64(have * 1e8), "most", most}, more...)...)
}
