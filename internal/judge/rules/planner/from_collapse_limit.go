package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var FromCollapseLimit = rule.Rule{
	Address: knob.PG("from_collapse_limit"),
	Title:   "up to how many relations subqueries are merged into the query around them",
	Why: "A subquery that is not merged is planned by itself, before the conditions around it are known. It is " +
		"join_collapse_limit for subqueries in FROM, and the two belong together.",
	Formula: "1c: 20, and anything from 12 on stays. Other profiles keep what they have.",
	Sources: []string{"its-1c", "pg-config-query"},
	Risk:    knob.Medium,
	Decide:  decideCollapse,
}
