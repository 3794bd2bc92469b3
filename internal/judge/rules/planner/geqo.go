package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// geqoDefault is the default of geqo_threshold: from there on trying all orders
// takes longer than most queries.
const geqoDefault = limits.GeqoUsual

// planned returns how many relations the collapse limits let be planned together.
func planned(c *rule.Case) (int, bool) {
	joins, ok1 := c.Int(knob.PG("join_collapse_limit"))
	from, ok2 := c.Int(knob.PG("from_collapse_limit"))
	return max(joins, from), ok1 && ok2
}

var Geqo = rule.Rule{
	Address: knob.PG("geqo"),
	Title:   "Genetic query optimizer (GEQO)",
	Why: "An exhaustive search for the join order of 20 relations takes minutes and gigabytes of memory. GEQO limits " +
		"the search from geqo_threshold relations on.",
	Formula: "on if join_collapse_limit or from_collapse_limit is at least 12; otherwise unchanged.",
	Sources: []string{"pg-config-query"},
	Needs:   []knob.Address{knob.PG("join_collapse_limit"), knob.PG("from_collapse_limit")},
	Decide: func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		joins, ok := planned(c)
		switch {
		case !ok:
		case have == "on" || joins < geqoDefault:
			c.Keep("relations planned together: at most {joins}", "joins", joins)
		default:
			c.Set(true, "relations planned together: up to {joins}; with off, all join orders are searched",
				"joins", joins)
		}
	},
}
