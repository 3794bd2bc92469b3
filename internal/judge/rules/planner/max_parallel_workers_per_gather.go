package planner

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var MaxParallelWorkersPerGather = rule.Rule{
	Address: knob.PG("max_parallel_workers_per_gather"),
	Title:   "Parallel workers per Gather node",
	Why: "Parallel workers speed up one long query at the expense of CPU and memory of the others: each can use " +
		"work_mem as often as the session itself. With many active sessions, no CPU is idle for them. 1C recommends " +
		"no workers. Before PostgreSQL 16 this makes lists with DISTINCT, ORDER BY and LIMIT slow: there DISTINCT " +
		"cannot use an incremental sort, and without a parallel plan the planner scans an index to the end.",
	Formula: "dw: half of the CPUs, from 2 to 8. mixed: at most a quarter, from 2 to 4. web, oltp and desktop: at " +
		"most 2. 1c: 0; before PostgreSQL 16 at most 2, and 0 is kept. Never above half of the CPUs or " +
		"max_parallel_workers.",
	Sources: []string{"pg-config-resource", "postgrespro-1c", "pgtune"},
	Risk:    knob.Medium,
	Needs:   []knob.Address{sizing.MaxParallelWorkersAddress},
	Decide:  decidePerGather,
}

func decidePerGather(c *rule.Case) {
	profile := c.Options.Profile
	have := int(c.Now())
	if profile == rule.OneC && !slowLists(c) {
		if have > 0 {
			c.Set(0,
				"many 1C sessions keep the CPUs busy, and short queries lose more by starting workers than they gain")
		} else {
			c.Keep("no parallel queries, as 1C recommends")
		}
		return
	}
	if profile == rule.OneC && have == 0 {
		c.Keep("no parallel queries, as 1C recommends; before PostgreSQL 16 lists with DISTINCT, ORDER BY and " +
			"LIMIT are slower without them")
		return
	}
	pool, pooled := c.Int(sizing.MaxParallelWorkersAddress)
	cpus, ok := c.CPUs()
	if !ok {
		if pooled && have > pool {
			c.Set(pool, "{present} exceeds max_parallel_workers = {pool}", "present", c.Shown(),
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
	switch {
	case have >= least && have <= want && profile == rule.OneC:
		c.Keep("{present} per query: before PostgreSQL 16 lists with DISTINCT, ORDER BY and LIMIT are slower without "+
			"workers", "present", say.N(have, "{n} worker", "{n} workers"))
	case have >= least && have <= want:
		c.Keep("{present} per query, which suits {cpus} in the {profile} profile", "present",
			say.N(have, "{n} worker", "{n} workers"), "cpus", rule.Processors(cpus), "profile", string(profile))
	case want == 0 && most == cpus/2:
		c.Set(0, "with {cpus}, a parallel worker only takes CPU time from its own session", "cpus",
			rule.Processors(cpus))
	case want == 0:
		c.Set(0, "max_parallel_workers allows no workers")
	default:
		c.SetAs(want, whyWorkers(c, want, cpus))
	}
}

// whyWorkers is the reason for a number of workers other than the present one.
func whyWorkers(c *rule.Case, want, cpus int) say.Message {
	workers := say.N(want, "{n} worker", "{n} workers")
	if c.Options.Profile == rule.OneC {
		return say.M("{workers} per query for {cpus}: before PostgreSQL 16 lists with DISTINCT, ORDER BY and LIMIT "+
			"are slower without workers", "workers", workers, "cpus", rule.Processors(cpus))
	}
	reason := say.M("{workers} per query for {cpus} in the {profile} profile", "workers", workers, "cpus",
		rule.Processors(cpus), "profile", string(c.Options.Profile))
	if int(c.Now()) > want {
		return say.All("; ", reason, say.M("{present} would take CPU and memory from other sessions", "present",
			c.Shown()))
	}
	return reason
}

// slowLists reports whether the server is before PostgreSQL 16, where SELECT DISTINCT … ORDER BY … LIMIT sorts all
// rows: what is sorted by the first columns already (an index in that order) helps it only since 16. The parallel plan
// then is the better one. By workers the 1c load gained 45 % (+35…+56) on 15, and lost 7 % (2…12) on 18
// (docs/benchmarks/notes.md).
func slowLists(c *rule.Case) bool {
	version, ok := c.Instance.Server.Version.Get()
	return ok && version.Major() < 16
}
