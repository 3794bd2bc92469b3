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
	Title:   "from how many relations on the order of joins is searched by chance",
	Why: "Below it all orders are tried, and each relation more takes several times the time and memory. With " +
		"join_collapse_limit at 8 it is never reached; where that is raised, as for 1C, it alone bounds planning.",
	Formula: "12, the default, where it is above 14 or below 12 and the collapse limits let as many be planned " +
		"together; otherwise as it is.",
	Sources: []string{"pg-config-query", "its-1c"},
	Needs:   []knob.Address{knob.PG("join_collapse_limit"), knob.PG("from_collapse_limit")},
	Decide: func(c *rule.Case) {
		have := int(c.Now())
		joins, ok := planned(c)
		switch {
		case !ok:
		case have > geqoMost && joins >= have:
			c.Set(geqoDefault,
				"{joins} relations may be planned together, and up to {present} all orders are tried: seconds and "+
					"gigabytes for one query; 12 is the default", "joins", joins, "present", have)
		case have < geqoDefault && joins >= have:
			c.Set(geqoDefault,
				"{joins} relations may be planned together, and from {present} on their order is searched by "+
					"chance; below 12, the default, all orders are tried in milliseconds", "joins", joins,
				"present", have)
		case joins < have:
			c.Keep("at most {joins} relations are planned together, so all orders are tried", "joins", joins)
		default:
			c.Keep("from {present} of up to {joins} relations on the search is bounded", "present", have,
				"joins", joins)
		}
	},
}
