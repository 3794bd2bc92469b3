package rule

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// pageCost is what a page read at random costs against one read in sequence,
// and the range in which a present value is somebody's considered choice.
type pageCost struct{ want, low, high float64 }

var pageCosts = map[Storage]pageCost{
	NVMe: {1.1, 1, 1.5},
	SSD:  {1.1, 1, 1.5},
	SAN:  {2, 1.1, 3},
	HDD:  {4, 2, 6}, // 2: a disk whose data is mostly cached
}

var randomPageCost = Rule{
	Address: knob.PG("random_page_cost"),
	Title:   "the planner's cost of a page read at random",
	Why: "At 4 an index scan has to save three quarters of the pages to win against reading the whole table, which is right for heads that have to move. " +
		"On flash, where a random page costs little more than the next one, it makes the planner read whole tables. " +
		"Tablespaces on other disks can have their own: ALTER TABLESPACE … SET (random_page_cost = …).",
	Formula: "1.1 on nvme and ssd, 2 on a storage network, 4 on rotating disks, times seq_page_cost; a present value of 1 to 1.5, 1.1 to 3, or 2 to 6 stays.",
	Sources: []string{"pg-config-query", "dalibo-j1"},
	Risk:    knob.Medium,
	Decide: func(c *Case) {
		s, why, ok := c.StorageOf(snapshot.DataPlace)
		if !ok {
			return
		}
		cost := pageCosts[s]
		// Who has moved seq_page_cost has chosen another scale for all costs.
		scale, ok := c.Float(knob.PG("seq_page_cost"))
		if !ok || scale <= 0 {
			scale = 1
		}
		if have := c.now() / scale; have >= cost.low && have <= cost.high {
			c.Keep("{present} suits {storage} ({why})", "present", c.shown(), "storage", string(s), "why", why)
			return
		}
		c.Set(significant(cost.want*scale), "the data lies on {storage} ({why}), where {present} makes the planner misjudge index scans", "storage", string(s), "why", why, "present", c.shown())
	},
}

// significant rounds to four digits: 1.1 × 0.1 is 0.11, not 0.11000000000000001.
func significant(f float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 4, 64), 64)
	if err != nil {
		return f
	}
	return r
}
