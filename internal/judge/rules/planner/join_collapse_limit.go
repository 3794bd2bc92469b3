package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// oneCJoins is how many relations of one query 1C's vendor has planned together:
// its generated queries join a dozen tables and virtual tables.
const oneCJoins = 20

var JoinCollapseLimit = rule.Rule{
	Address: knob.PG("join_collapse_limit"),
	Title:   "how many explicit joins are planned together",
	Why: "Up to this many relations the planner looks for the best order of explicit joins; beyond it the written " +
		"order decides, which for generated queries is no good order. " +
		"The time to plan grows steeply with the number; from geqo_threshold (12) on the genetic search bounds it.",
	Formula: "1c: 20, and anything from 12 on stays. Other profiles keep what they have.",
	Sources: []string{"its-1c", "pg-config-query"},
	Risk:    knob.Medium,
	Decide:  decideCollapse,
}

func decideCollapse(c *rule.Case) {
	if c.Options.Profile != rule.OneC {
		return
	}
	if c.Now() >= 12 {
		c.Keep("{present} relations are planned together", "present", c.Shown())
		return
	}
	c.Set(oneCJoins,
		"1C generates joins of a dozen tables and more; at {present} the written order decides about most of them",
		"present", c.Shown())
}
