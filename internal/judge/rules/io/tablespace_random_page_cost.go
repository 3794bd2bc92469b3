package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TablespaceRandomPageCost = rule.Rule{
	Address: "tablespace:*/random_page_cost",
	Title:   "the planner's cost of a page of a tablespace read at random",
	Why: "random_page_cost of the server is one number for all disks. Where a tablespace lies on disks of another " +
		"kind than the data directory it is wrong for one of the two: index scans are avoided on " +
		"flash, or taken on rotating disks. An option of the tablespace holds for the tables and indexes in it alone.",
	Formula: "Where the disks of the tablespace and of the data directory are known and of different kinds: 1.1 on " +
		"nvme and ssd, 2 on a storage network, 4 on rotating disks, times seq_page_cost. " +
		"A value of its own of 1 to 1.5, 1.1 to 3, or 2 to 6 stays, and any other gives way. Not on a standby, " +
		"which has it from its primary.",
	Sources: []string{"pg-tablespaces", "pg-config-query", "dalibo-j1"},
	Needs:   []knob.Address{knob.PG("random_page_cost")},
	Effect:  knob.Now,
	Risk:    knob.Medium,
	Over:    tablespacesWith("random_page_cost"),
	Decide: func(c *rule.Case) {
		sp, ok := spaceOfOptions(c)
		if !ok {
			return
		}
		// Of the tablespace's own seq_page_cost, where it has one, else of the server's:
		// all costs have one scale.
		scale, ok := sp.own("seq_page_cost")
		if !ok || scale <= 0 {
			scale, ok = c.Float(knob.PG("seq_page_cost"))
		}
		if !ok || scale <= 0 {
			scale = 1
		}
		cost := pageCosts[sp.kind]
		sp.decide(c, choice{
			want:   significant(cost.want * scale),
			suits:  func(f float64) bool { return f >= cost.low*scale && f <= cost.high*scale },
			differ: cost.want != pageCosts[sp.main].want,
		})
	},
}
