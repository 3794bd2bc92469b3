package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var FromCollapseLimit = rule.Rule{
	Address: knob.PG("from_collapse_limit"),
	Title:   "Subquery pull-up limit in FROM",
	Why: "A subquery that is not merged into the outer query is planned separately, without the outer conditions. It " +
		"works for subqueries in FROM as join_collapse_limit does for joins; set both together.",
	Formula: "1c: 20 (12 and more stays). Other profiles keep their value.",
	Sources: []string{"its-1c", "pg-config-query"},
	Risk:    knob.Medium,
	Decide:  decideCollapse,
}
