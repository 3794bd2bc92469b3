package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TablespaceRandomPageCost = rule.Rule{
	Address: "tablespace:*/random_page_cost",
	Title:   "Planner cost of a random page read in a tablespace",
	Why: "The server has one random_page_cost for all disks. If a tablespace is on another kind of storage than the " +
		"data directory, that value is wrong for one of them. The planner then avoids index scans on flash, or " +
		"prefers them on rotating disks. This option overrides it for the tables and indexes in one tablespace.",
	Formula: "With pgfettle probe on the device of the tablespace: the value that random_page_cost would have on it, " +
		"if the server's value is not within a factor of 1.5. Without a probe, if the tablespace and the data " +
		"directory are on different kinds of storage: 1.1 on nvme and ssd (1–1.5 stays), 2 on san (1.1–3 stays), 4 " +
		"on hdd (2–6 stays). All values are multiplied by seq_page_cost. Not on a standby: the option is replicated " +
		"from the primary.",
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
		// Relative to the tablespace's own seq_page_cost, if set, otherwise to the server's: all costs have one scale.
		scale, ok := sp.own("seq_page_cost")
		if !ok || scale <= 0 {
			scale, ok = c.Float(knob.PG("seq_page_cost"))
		}
		if !ok || scale <= 0 {
			scale = 1
		}
		if sp.reads != nil {
			if cost, ratio, ok := costOf(sp.reads); ok {
				sp.decideMeasured(c, significant(cost.want*scale),
					func(f float64) bool { return f >= cost.low*scale && f <= cost.high*scale },
					costClause(sp.reads, ratio))
				return
			}
		}
		if sp.kind == "" {
			return
		}
		cost := pageCosts[sp.kind]
		sp.decide(c, choice{
			want:   significant(cost.want * scale),
			suits:  func(f float64) bool { return f >= cost.low*scale && f <= cost.high*scale },
			differ: cost.want != pageCosts[sp.main].want,
		})
	},
}
