package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// geqoMost is as far as it may be raised: 14 relations take some twenty times what
// 12 do.
const geqoMost = limits.GeqoMost

var GeqoThreshold = rule.Rule{
	Address: knob.PG("geqo_threshold"),
	Title:   "Number of FROM items from which GEQO is used",
	Why: "Below this number, the planner searches all join orders. Each additional relation multiplies time and " +
		"memory. With join_collapse_limit = 8 it is never reached. If that limit is higher, as for 1C, only this " +
		"setting limits planning time.",
	Formula: "12, the default, if it is above 14 or below 12 and the collapse limits allow as many relations; " +
		"otherwise unchanged.",
	Sources: []string{"pg-config-query", "its-1c"},
	Needs:   []knob.Address{knob.PG("join_collapse_limit"), knob.PG("from_collapse_limit")},
	Decide: func(c *rule.Case) {
		have := int(c.Now())
		joins, ok := planned(c)
		switch {
		case !ok:
		case have > geqoMost && joins >= have:
			c.Set(geqoDefault,
				"relations planned together: up to {joins}; below {present} all join orders are searched: seconds "+
					"and gigabytes for one query; 12 is the default", "joins", joins, "present", have)
		case have < geqoDefault && joins >= have:
			c.Set(geqoDefault,
				"relations planned together: up to {joins}; GEQO is used from {present} on; below 12, the default, "+
					"an exhaustive search takes milliseconds", "joins", joins,
				"present", have)
		case joins < have:
			c.Keep("relations planned together: at most {joins}, so GEQO is never used", "joins", joins)
		default:
			c.Keep("GEQO is used from {present} on; relations planned together: up to {joins}", "present", have,
				"joins", joins)
		}
	},
}
