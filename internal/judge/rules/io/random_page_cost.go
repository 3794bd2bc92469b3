package io

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// pageCost is what a page read at random costs against one read in sequence, and the range in which a present value
// counts as a deliberate choice.
type pageCost struct{ want, low, high float64 }

var pageCosts = map[rule.Storage]pageCost{
	rule.NVMe: {1.1, 1, 1.5},
	rule.SSD:  {1.1, 1, 1.5},
	rule.SAN:  {2, 1.1, 3},
	rule.HDD:  {4, 2, 6}, // 2: a disk whose data is mostly cached
}

var RandomPageCost = rule.Rule{
	Address: knob.PG("random_page_cost"),
	Title:   "Planner cost of a random page read",
	Why: "At 4, an index scan beats a sequential scan only if it reads less than about a quarter of the pages. That " +
		"suits rotating disks. On flash, a random read costs little more than a sequential one, so 4 makes the " +
		"planner choose sequential scans too often. Tablespaces on other disks have their own value: " +
		"tablespace:*/random_page_cost.",
	Formula: "With pgfettle probe: the ratio of random to sequential read time, times 0.1 (the default also assumes " +
		"a 90% cache hit rate), from 1.1 to 4. The sequential time of a page is at least 8 µs, the CPU time of its " +
		"rows. Values within a factor of 1.5 stay. Without a probe: 1.1 on nvme and ssd (1–1.5 stays), 2 on san " +
		"(1.1–3 stays), 4 on hdd (2–6 stays). All values are multiplied by seq_page_cost.",
	Sources: []string{"pg-config-query", "dalibo-j1"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		cost, inputs, ok := measuredCost(c)
		var s rule.Storage
		var why say.Message
		if !ok {
			if s, why, ok = c.StorageOf(snapshot.DataPlace); !ok {
				return
			}
			cost = pageCosts[s]
		}
		// A changed seq_page_cost means another scale for all costs.
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
				"{present} suits the data device: {random} random IOPS at queue depth 1, {ratio} × the time per page "+
					"of a scan ({by})", inputs...)
			return
		default:
			c.Set(significant(cost.want*scale),
				"the data device has {random} random IOPS at queue depth 1, {ratio} × the time per page of a scan "+
					"({by}); a 90% cache hit rate is assumed", inputs...)
			return
		}
		if stays {
			c.Keep("{present} suits {storage} ({why})", "present", c.Shown(), "storage", string(s), "why", why)
			return
		}
		c.Set(significant(cost.want*scale),
			"the data is on {storage} ({why}); with {present}, the planner misjudges index scans", "storage",
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
