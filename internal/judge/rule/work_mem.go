package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

var workMem = Rule{
	Address: knob.PG("work_mem"),
	Title:   "the memory of one sort, hash or other node of a query",
	Why: "A sort or hash that does not fit goes to temporary files. But each node of each query of each session and of each parallel worker may take it, a hash hash_mem_multiplier times, " +
		"and nothing bounds the sum. A session that waits for a processor, for a lock or for its client still holds what it has sorted: the processors bound the speed, not the memory. " +
		"Too much of it ends in the OOM killer, which restarts the whole instance.",
	Formula: "What the instance's part of the memory has left beside the shared memory, page tables, 5 MB for each connection and process, temp_buffers of the sessions that use temporary tables, maintenance and autovacuum, " +
		"divided among every connection that may be open (max_connections, or twice the peak of open sessions in a history of at least 7 days) and max_parallel_workers, times the nodes of a query of the profile " +
		"(web, oltp, mixed and desktop: a sort and a hash; 1c: two sorts and a hash; a hash counts hash_mem_multiplier times). dw: divided among the sessions that are expected at work, at least two for each processor and a tenth of the connections, " +
		"with two sorts and two hashes, and no more than lets every connection have one hash. Where the kernel's overcommit is strict, all of that within the commit limit too. No profile gets more than the next of web, oltp, mixed and dw. " +
		"Rounded down to an eighth of the power of two below. Without evidence of larger spills at most 64 MB (web, oltp, desktop), 128 MB (mixed, 1c) or 1 GB (dw). " +
		"Never below 4 MB, nor below what it is now unless the memory was seen not to suffice (OOM kills, private memory in swap, waiting for memory, less than 5 % available): shared_buffers makes room first. " +
		"Where temporary files were counted for a day: with fewer than 24 files a day what is there now, at least 16 MB; with more, three times their mean size " +
		"(or what nine of ten spilling statements of pg_stat_statements write in a call, where that is more), rounded up to a power of two, as far as the memory allows and at most 2 GB.",
	Sources: []string{"pg-config-resource", "pg-source-hash", "pg-monitoring", "dalibo-j1", "pgfettle-measured"},
	Needs:   after(sizedBefore, knob.PG("max_connections"), knob.PG("shared_buffers")),
	Risk:    knob.Medium,
	Decide: func(c *Case) {
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
		room, ok := c.surviving(b, conns)
		if !ok {
			return
		}
		want, text, pairs := c.wantedWork(b, room)
		present, known := c.Bytes(knob.PG("work_mem"))
		least, short := c.leastWork()
		switch {
		case known && present > want && least >= present:
			c.Keep("{present} stays, as nobody saw that the memory does not suffice; more than {wanted} is not planned here: "+text, append(pairs, "present", c.shown(), "wanted", want)...)
		case known && present > want && short.Clause != "":
			c.Set(want, text+"; "+short.Clause, append(pairs, "seen", short.Seen)...)
		case known && present < want && present >= memory.WorkMemFloor && near(c.canonical(present), c.canonical(want), workMemNear):
			c.Keep("{present} is close enough to {wanted}: "+text, append(pairs, "present", c.shown(), "wanted", want)...)
		default:
			c.Set(want, text, pairs...)
		}
	},
}

// wantedWork returns the work_mem that is wanted whatever it is now, at least 4 MB,
// with the reason.
func (c *Case) wantedWork(b Basis, room workRoom) (want unit.Bytes, text string, pairs []any) {
	l := room.binding
	m := l.instance
	text = "of the {share} that the instance may have, shared memory, connections and maintenance take {fixed}; the {left} left are for {working} ({active} and {parallel}), " +
		"which may hold their memory all at once, each {claims} times (sort nodes: {sorts}; hash nodes: {hashes}, each of work_mem × {multiplier})"
	switch {
	case room.strict:
		text += "; strict overcommit lets the instance commit {commit}, of which all but work_mem takes {committed}, so that less is left for them"
	case room.work < memory.WorkMemFloor:
		text = "4 MB is the least that is planned, as less makes queries several times slower; of the {share} that the instance may have, shared memory, connections and maintenance take {fixed}"
	}
	pairs = []any{"share", b.Share(), "fixed", room.fixed, "left", max(b.Share()-room.fixed, 0), "working", countOf(m.Working(), "process", "processes"),
		"active", count{m.Active, "session"}, "parallel", count{m.Parallel, "parallel worker"},
		"commit", l.strict, "committed", room.committed, "claims", m.Allowances(), "sorts", m.Sorts, "hashes", m.Hashes, "multiplier", m.HashFactor}
	if h, ok := c.Instance.History.Get(); ok && h.Open != nil && m.Active == m.Connections && m.Connections == int(memory.OpenOverPeak*h.Open.Value) {
		text += "; twice the peak of {peak} on {date}, history of {days}"
		pairs = append(pairs, "peak", count{int(h.Open.Value), "open session"}, "date", dayOf(h.Open.At), "days", age(h.Days*24*3600))
	}
	if l.of != c.Options.Profile && room.work >= memory.WorkMemFloor && room.work < c.prior().WorkMem {
		text += "; no more than the {profile} profile gets, whose queries are larger"
		pairs = append(pairs, "profile", string(l.of))
	}
	want, text, pairs = c.bySpills(max(min(room.work, limits.WorkMemMost), memory.WorkMemFloor), text, pairs)
	return want, text, pairs
}

// bySpills decides between what is there now and what the memory allows by what
// was seen of temporary files. Without them no profile gets more than its cap.
func (c *Case) bySpills(allowed unit.Bytes, text string, pairs []any) (unit.Bytes, string, []any) {
	s := c.spilled()
	if !s.known {
		if most := c.prior().WorkMem; allowed > most {
			return most, "{most} is what a server of the {profile} profile gets without evidence of larger spills; the memory would allow {allowed}: " + text + "; " + s.why,
				append(pairs, "most", most, "profile", string(c.Options.Profile), "allowed", allowed)
		}
		return allowed, text + "; " + s.why, pairs
	}
	present, _ := c.Bytes(knob.PG("work_mem"))
	asked := s.asked(present)
	seen := "{files} in {span}, {mean} each on average"
	switch {
	case s.files == 0:
		seen = "none in {span}"
	case s.byCall > 0:
		seen += ", and nine of ten spilling statements of pg_stat_statements write at most {call} in a call"
	}
	pairs = append(pairs, "files", countOf(int(s.files), "temporary file", "temporary files"), "span", s.span, "mean", s.mean, "call", s.byCall)
	switch {
	case asked >= allowed && s.daily < spillsFew:
		return allowed, text + "; hardly anything spills (" + seen + "), but that is what the memory allows", pairs
	case asked >= allowed:
		return allowed, text + "; what spills asks for no less: " + seen, pairs
	case s.daily < spillsFew:
		return asked, "hardly anything spills: " + seen + "; the memory would allow {allowed}, which nothing asks for", append(pairs, "allowed", allowed, "asked", asked)
	}
	sharpen := ""
	if s.byCall == 0 {
		sharpen = "; pg_stat_statements or log_temp_files would tell which statements they are of, and whether a hash was split into many"
	}
	return asked, seen + "; {asked} hold most of them, as a sort takes up to three times what it writes; the memory would allow {allowed}" + sharpen,
		append(pairs, "allowed", allowed, "asked", asked)
}
