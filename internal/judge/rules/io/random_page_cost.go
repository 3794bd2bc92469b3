package io

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// pageCost is what a page read at random costs against one read in sequence,
// and the range in which a present value is somebody's considered choice.
type pageCost struct{ want, low, high float64 }

var pageCosts = map[rule.Storage]pageCost{
	rule.NVMe: {1.1, 1, 1.5},
	rule.SSD:  {1.1, 1, 1.5},
	rule.SAN:  {2, 1.1, 3},
	rule.HDD:  {4, 2, 6}, // 2: a disk whose data is mostly cached
}

var RandomPageCost = rule.Rule{
	Address: knob.PG("random_page_cost"),
	Title:   "the planner's cost of a page read at random",
	Why: "At 4 an index scan has to save three quarters of the pages to win against reading the whole table, which " +
		"is right for heads that have to move. " +
		"On flash, where a random page costs little more than the next one, it makes the planner read whole tables. " +
		"Tablespaces on other disks have their own: tablespace:*/random_page_cost.",
	Formula: "With pgfettle probe: a tenth of how many times longer a page takes at random than in a scan (the " +
		"default's own assumption, nine in ten cached), from 1.1 to 4, where a page of a scan takes what the disk " +
		"needs in order, but at least the 8 µs of its rows, with which the planner compares it; a present value " +
		"within a factor of 1.5 stays. " +
		"Else 1.1 on nvme and ssd, 2 on a storage network, 4 on rotating disks; a present value of 1 to 1.5, 1.1 to " +
		"3, or 2 to 6 stays. All times seq_page_cost.",
	Sources: []string{"pg-config-query", "dalibo-j1"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		cost, inputs, ok := measuredCost(c)
		var s rule.Storage
		var why string
		if !ok {
			if s, why, ok = c.StorageOf(snapshot.DataPlace); !ok {
				return
			}
			cost = pageCosts[s]
		}
		// Who has moved seq_page_cost has chosen another scale for all costs.
		scale, ok := c.Float(knob.PG("seq_page_cost"))
		if !ok || scale <= 0 {
			scale = 1
		}
		have := c.Now() / scale
		stays := have >= cost.low && have <= cost.high
		switch inputs = append(inputs, "present", c.Shown()); {
		case s != "":
		case stays:
			c.Keep(
				"{present} suits the data's device: {random} random reads a second one by one, each page {ratio} "+
					"times as long as a page of a scan ({by})", inputs...)
			return
		default:
			c.Set(significant(cost.want*scale),
				"the data's device made {random} random reads a second one by one, each page {ratio} times as long "+
					"as a page of a scan ({by}); the planner takes nine in ten of them to be cached", inputs...)
			return
		}
		if stays {
			c.Keep("{present} suits {storage} ({why})", "present", c.Shown(), "storage", string(s), "why", why)
			return
		}
		c.Set(significant(cost.want*scale),
			"the data lies on {storage} ({why}), where {present} makes the planner misjudge index scans", "storage",
			string(s), "why", why, "present", c.Shown())
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
