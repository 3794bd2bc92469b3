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
	Title:   "the memory of one sort, hash or other node of a query",
	Why: "A sort or hash that does not fit goes to temporary files. But each node of each query of each session and " +
		"of each parallel worker may take it, a hash hash_mem_multiplier times, " +
		"and nothing bounds the sum. A session that waits for a processor, for a lock or for its client still holds " +
		"what it has sorted: the processors bound the speed, not the memory. " +
		"Too much of it ends in the OOM killer, which restarts the whole instance.",
	Formula: "What the instance's part of the memory has left beside the shared memory, page tables, 5 MB for each " +
		"connection and process, temp_buffers of the sessions that use temporary tables, maintenance and autovacuum, " +
		"divided among every connection that may be open (max_connections, or twice the peak of open sessions in a " +
		"history of at least 7 days) and max_parallel_workers, times the nodes of a query of the profile " +
		"(web, oltp, mixed and desktop: a sort and a hash; 1c: two sorts and a hash; a hash counts " +
		"hash_mem_multiplier times). dw: divided among the sessions that are expected at work, at least two for " +
		"each processor and a tenth of the connections, " +
		"with two sorts and two hashes, and no more than lets every connection have one hash. Where the kernel's " +
		"overcommit is strict, all of that within the commit limit too. No profile gets more than the next of web, " +
		"oltp, mixed and dw. Rounded down to an eighth of the power of two below. Without evidence of larger spills " +
		"at most 64 MB (web, oltp, desktop), 128 MB (mixed, 1c) or 1 GB (dw). " +
		"Never below 4 MB, nor below what it is now unless the memory was seen not to suffice (OOM kills, private " +
		"memory in swap, waiting for memory, less than 5 % available): shared_buffers makes room first. " +
		"Where temporary files were counted for a day: with fewer than 24 files a day what is there now, at least " +
		"16 MB; with more, three times their mean size " +
		"(or what nine of ten spilling statements of pg_stat_statements write in a call, where that is more), " +
		"rounded up to a power of two, as far as the memory allows and at most 2 GB.",
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
			c.KeepAs(say.All(": ", say.M("{present} stays, as nobody saw that the memory does not suffice; more than "+
				"{wanted} is not planned here", "present", c.Shown(), "wanted", want), reason))
		case known && present > want && !short.IsZero():
			c.SetAs(want, say.All("; ", reason, short))
		case known && present < want && present >= memory.WorkMemFloor &&
			rule.Near(c.Canonical(present), c.Canonical(want), sizing.WorkMemNear):
			c.KeepAs(say.All(": ", say.M("{present} is close enough to {wanted}", "present", c.Shown(), "wanted", want),
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
	reason = say.M("of the {share} that the instance may have, shared memory, connections and maintenance take "+
		"{fixed}; the {left} left are for {working} ({active} and {parallel}), "+
		"which may hold their memory all at once, each {claims} times (sort nodes: {sorts}; hash nodes: {hashes}, "+
		"each of work_mem × {multiplier})", "share", b.Share(), "fixed", room.Fixed, "left",
		max(b.Share()-room.Fixed, 0), "working", say.N(m.Working(), "{n} process", "{n} processes"),
		"active", say.N(m.Active, "{n} session", "{n} sessions"), "parallel",
		say.N(m.Parallel, "{n} parallel worker", "{n} parallel workers"),
		"claims", m.Allowances(), "sorts", m.Sorts, "hashes", m.Hashes, "multiplier", m.HashFactor)
	also := func(text say.Template, pairs ...any) { reason = say.All("; ", reason, say.M(text, pairs...)) }
	switch {
	case room.Strict:
		also("strict overcommit lets the instance commit {commit}, of which all but work_mem takes "+
			"{committed}, so that less is left for them", "commit", l.Strict, "committed", room.Committed)
	case room.Work < memory.WorkMemFloor:
		reason = say.M("4 MB is the least that is planned, as less makes queries several times slower; of the {share} "+
			"that the instance may have, shared memory, connections and maintenance take {fixed}", "share", b.Share(),
			"fixed", room.Fixed)
	}
	if h, ok := c.Instance.History.Get(); ok && h.Open != nil && m.Active == m.Connections &&
		m.Connections == int(memory.OpenOverPeak*h.Open.Value) {
		also("twice the peak of {peak} on {date}, history of {days}", "peak",
			say.N(int(h.Open.Value), "{n} open session", "{n} open sessions"), "date", rule.DayOf(h.Open.At),
			"days", rule.Age(h.Days*24*3600))
	}
	if l.Of != c.Options.Profile && room.Work >= memory.WorkMemFloor && room.Work < c.Prior().WorkMem {
		also("no more than the {profile} profile gets, whose queries are larger", "profile", string(l.Of))
	}
	return bySpills(c, max(min(room.Work, limits.WorkMemMost), memory.WorkMemFloor), reason)
}
