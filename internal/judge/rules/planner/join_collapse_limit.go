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
	Title:   "Explicit joins that the planner may reorder",
	Why: "Up to this number of relations, the planner searches for the best order of explicit joins. Beyond it, the " +
		"written order is kept, which is a poor order in generated queries. Planning time grows steeply with the " +
		"number; from geqo_threshold (12) on, GEQO limits it.",
	Formula: "1c: 20 (12 and more stays). Other profiles keep their value.",
	Sources: []string{"its-1c", "pg-config-query"},
	Risk:    knob.Medium,
	Decide:  decideCollapse,
}

func decideCollapse(c *rule.Case) {
	if c.Options.Profile != rule.OneC {
		return
	}
	if c.Now() >= 12 {
		c.Keep("relations planned together: up to {present}", "present", c.Shown())
		return
	}
	c.Set(oneCJoins,
		"1C generates joins of a dozen or more tables; at {present}, most of them keep the written order",
		"present", c.Shown())
}
