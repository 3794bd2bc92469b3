package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var WorkMem = rule.Rule{
	Address: knob.PG("work_mem"),
	Title:   "Memory per sort or hash operation",
	Why: "Sorts and hashes that exceed it spill to temporary files. Each node of each query, in each session and " +
		"parallel worker, can use it (hashes: × hash_mem_multiplier), and nothing caps the total. A session that " +
		"waits for a CPU, a lock or its client still holds its memory, so CPUs limit speed, not memory. If memory " +
		"runs out, an OOM kill restarts the whole instance.",
	Formula: "Budget: the instance's share of memory − shared memory, page tables, 5 MB per connection and process, " +
		"temp_buffers of sessions that use temporary tables, maintenance and autovacuum. It is divided by all " +
		"processes that can use it × the nodes of a query. Processes: every connection that can be open " +
		"(max_connections, or 2 × the peak of open sessions in a history of at least 7 days) plus " +
		"max_parallel_workers. Nodes: one sort and one hash (web, oltp, mixed, desktop), or two sorts and one hash " +
		"(1c). Hashes count hash_mem_multiplier times. dw counts only the sessions expected to be active (at least " +
		"two per CPU and a tenth of the connections), with two sorts and two hashes. With dw, every connection must " +
		"also be able to have one hash. With strict overcommit, all of it must also fit within the commit limit. In " +
		"the order web, oltp, mixed, dw, no profile gets more than the next. Rounded down to 1/8 of the power of two " +
		"below. Limit without evidence of larger spills: 64 MB (web, oltp, desktop), 128 MB (mixed, 1c), 1 GB (dw). " +
		"Never below 4 MB, and not below the present value unless memory was short (OOM kills, private memory in " +
		"swap, memory pressure, less than 5% available): shared_buffers is lowered first. With at least one day of " +
		"temporary file statistics: below 24 files per day, the present value, at least 16 MB. Otherwise 3 × their " +
		"mean size, rounded up to a power of two, at most 2 GB and what memory allows. If the amount that 90% of the " +
		"spilling statements in pg_stat_statements write per call at most is larger, it is used.",
	Sources: []string{"pg-config-resource", "pg-source-hash", "pg-monitoring", "dalibo-j1", "pgfettle-measured"},
	Needs:   sizing.After(sizing.SizedBefore, knob.PG("max_connections"), knob.PG("shared_buffers")),
	Risk:    knob.Medium,
	Finally: reckonAtWork,
	Decide: func(c *rule.Case) {
		b, ok := c.Basis()
		if !ok {
			return
		}
		conns, ok := c.Int(knob.PG("max_connections"))
		if !ok {
			return
		}
		if _, ok := c.Active(); !ok {
			return
		}
		room, ok := sizing.Surviving(c, b, conns)
		if !ok {
			return
		}
		want, reason := wantedWork(c, b, room)
		present, known := c.Bytes(knob.PG("work_mem"))
		least, short := sizing.LeastWork(c)
		switch {
		case known && present > want && least >= present:
			c.KeepAs(say.All(": ", say.M("{present} stays, because no memory shortage was seen; the plan would "+
				"otherwise be {wanted}", "present", c.Shown(), "wanted", want), reason))
		case known && present > want && !short.IsZero():
			c.SetAs(want, say.All("; ", reason, short))
		case known && present < want && present >= memory.WorkMemFloor &&
			rule.Near(c.Canonical(present), c.Canonical(want), sizing.WorkMemNear):
			c.KeepAs(say.All(": ", say.M("kept: {present} is within 20% of {wanted}", "present", c.Shown(), "wanted",
				want),
				reason))
		default:
			c.SetAs(want, reason)
		}
	},
}

// wantedWork returns the work_mem that is wanted whatever it is now, at least 4 MB,
// with the reason.
func wantedWork(c *rule.Case, b rule.Basis, room sizing.WorkRoom) (want unit.Bytes, reason say.Message) {
	l := room.Binding
	m := l.Instance
	reason = say.M("budget {share} − {fixed} (shared memory, connections, maintenance) = {left}, for {working} "+
		"({active}, {parallel}) × {claims} (sort nodes: {sorts}; hash nodes: {hashes}, each work_mem × {multiplier})",
		"share", b.Share(), "fixed", room.Fixed, "left",
		max(b.Share()-room.Fixed, 0), "working", say.N(m.Working(), "{n} process", "{n} processes"),
		"active", say.N(m.Active, "{n} session", "{n} sessions"), "parallel",
		say.N(m.Parallel, "{n} parallel worker", "{n} parallel workers"),
		"claims", m.Allowances(), "sorts", m.Sorts, "hashes", m.Hashes, "multiplier", m.HashFactor)
	also := func(text say.Template, pairs ...any) { reason = say.All("; ", reason, say.M(text, pairs...)) }
	switch {
	case room.Strict:
		also("strict overcommit leaves less: {commit} for the instance, {committed} of it for everything but work_mem",
			"commit", l.Strict, "committed", room.Committed)
	case room.Work < memory.WorkMemFloor:
		reason = say.M("4 MB is the minimum, because less makes queries several times slower; shared memory, "+
			"connections and maintenance take {fixed} of the budget of {share}", "share", b.Share(),
			"fixed", room.Fixed)
	}
	if h, ok := c.Instance.History.Get(); ok && h.Open != nil && m.Active == m.Connections &&
		m.Connections == int(memory.OpenOverPeak*h.Open.Value) {
		also("2 × the peak of {peak} on {date} (history of {days})", "peak",
			say.N(int(h.Open.Value), "{n} open session", "{n} open sessions"), "date", rule.DayOf(h.Open.At),
			"days", say.Span(h.Days*24*3600))
	}
	if l.Of != c.Options.Profile && room.Work >= memory.WorkMemFloor && room.Work < c.Prior().WorkMem {
		also("no more than the {profile} profile gets, which has larger queries", "profile", string(l.Of))
	}
	return bySpills(c, max(min(room.Work, limits.WorkMemMost), memory.WorkMemFloor), reason)
}
