package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var MaxParallelWorkersPerGather = rule.Rule{
	Address: knob.PG("max_parallel_workers_per_gather"),
	Title:   "how many parallel workers one node of a query may have",
	Why: "Workers make one long query faster by taking processors and memory from the others: each of them may hold " +
		"work_mem as often as the session itself. " +
		"Where many sessions work at once there is nothing to take. 1C's queries lose more by starting workers than " +
		"they win.",
	Formula: "dw: half of the processors, 2 to 8. mixed: at most a quarter, 2 to 4. web, oltp and desktop: at most " +
		"2. 1c: 0. Never above half of the processors or max_parallel_workers.",
	Sources: []string{"pg-config-resource", "postgrespro-1c", "pgtune"},
	Risk:    knob.Medium,
	Needs:   []knob.Address{sizing.MaxParallelWorkersAddress},
	Decide:  decidePerGather,
}

func decidePerGather(c *rule.Case) {
	profile := c.Options.Profile
	have := int(c.Now())
	pool, pooled := c.Int(sizing.MaxParallelWorkersAddress)
	if profile == rule.OneC {
		if have > 0 {
			c.Set(0,
				"1C's many sessions keep the processors busy, and its short queries lose more by starting workers "+
					"than they win")
		} else {
			c.Keep("no parallel queries, as 1C's vendor advises")
		}
		return
	}
	cpus, ok := c.CPUs()
	if !ok {
		if pooled && have > pool {
			c.Set(pool, "{present} are more than max_parallel_workers = {pool} can give", "present", c.Shown(),
				"pool", pool)
		}
		return
	}
	want, least := 2, 0 // fewer is a choice for the many
	switch profile {
	case rule.DW:
		want = min(max(cpus/2, 2), 8)
		least = want - want/4 // 6 of 8 are as good
	case rule.Mixed:
		want = min(max(cpus/4, 2), 4)
	}
	most := cpus / 2
	if pooled {
		most = min(most, pool)
	}
	want, least = min(want, most), min(least, most)
	if have >= least && have <= want {
		c.Keep("{present} for a query suit {cpus} in the {profile} profile", "present", say.N(have, "{n} worker",
			"{n} workers"),
			"cpus", rule.Processors(cpus), "profile", string(profile))
		return
	}
	if want == 0 {
		text := say.Template("there are no parallel workers to be had")
		if most == cpus/2 {
			text = "with {cpus} a parallel worker only takes time from its own session"
		}
		c.Set(0, text, "cpus", rule.Processors(cpus))
		return
	}
	reason := say.M("{workers} for a query on {cpus} in the {profile} profile", "workers",
		say.N(want, "{n} worker", "{n} workers"), "cpus", rule.Processors(cpus), "profile", string(profile))
	if have > want {
		reason = say.All("; ", reason, say.M("{present} would take processors and memory from the other sessions",
			"present",
			c.Shown()))
	}
	c.SetAs(want, reason)
}
