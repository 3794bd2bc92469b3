package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// workMemMost is where work_mem ends. Beyond it a sort or hash of so many
// gigabytes is a report that should SET its own, and one such session more than
// planned costs gigabytes.
const workMemMost = 2 * unit.GB

var workMem = Rule{
	Address: knob.PG("work_mem"),
	Title:   "the memory of one sort, hash or other node of a query",
	Why: "A sort or hash that does not fit goes to temporary files. But each node of each query of each session and of each parallel worker may take it, a hash hash_mem_multiplier times, " +
		"and nothing bounds the sum: too much of it ends in the OOM killer, which restarts the whole instance.",
	Formula: "Half of what the instance's part of the memory has left beside the shared memory, page tables, 5 MB for each connection and process, temp_buffers of the sessions that use temporary tables, maintenance and autovacuum, " +
		"divided by the processes at work (sessions: --active, else 1 to 4 a processor by the profile, at most one for each 64 MB of memory, or as many as are at work now or were at the peak that a history of 'pgfettle watch' holds; and max_parallel_workers) times the nodes of a query of the profile (sorts + hashes × hash_mem_multiplier). " +
		"Rounded down to an eighth of the power of two below; from 64 kB, which no floor raises where the memory is not there, to 2 GB. " +
		"Where temporary files were counted for a day, less than that may be enough: with fewer than 24 files a day what is there now, at least 16 MB; with more, three times their mean size " +
		"(or what nine of ten spilling statements of pg_stat_statements write in a call, where that is more), rounded up to a power of two. It is never lowered on such evidence.",
	Sources:   []string{"pg-config-resource", "pg-source-hash", "pg-monitoring", "dalibo-j1"},
	Needs:     after(sizedBefore, knob.PG("max_connections"), knob.PG("shared_buffers")),
	Tolerance: workMemNear,
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
		l, ok := c.layout(b, conns)
		if !ok {
			return
		}
		if c.Options.Profile == OneC {
			// As if no number of connections had made it less: else more of them
			// would leave more for work_mem.
			l.instance.TempBuffers = c.tempCeiling(b, l.instance.TempBuffers)
		}
		parts, ok := c.beside(b, conns, l)
		if !ok {
			return
		}
		c.warnTooMuch(b, conns)
		m := l.instance
		left := b.Share() - parts.Sum()
		if left <= 0 {
			c.Set(workMemLeast, "shared memory, connections and maintenance take {fixed}, and the instance may have {share}: nothing is left, so the smallest value that there is",
				"fixed", parts.Sum(), "share", b.Share())
			return
		}
		want := roundDown(m.WorkMemOf(left), 8, workMemLeast)
		text := "of the {share} that the instance may have, shared memory, connections and maintenance take {fixed}; half of the {left} left is for {working} at work ({active} and {parallel}), " +
			"each holding it {claims} times (sort nodes: {sorts}; hash nodes: {hashes}, each of work_mem × {multiplier})"
		pairs := []any{"share", b.Share(), "fixed", parts.Sum(), "left", left, "working", countOf(m.Working(), "process", "processes"), "active", count{m.Active, "session"}, "parallel", count{m.Parallel, "parallel worker"},
			"claims", m.Allowances(), "sorts", m.Sorts, "hashes", m.Hashes, "multiplier", m.HashFactor}
		if h, ok := c.peakOfSessions(conns); ok {
			text += "; the peak of {peak} was on {date}, history of {days}"
			pairs = append(pairs, "peak", count{int(h.Active.Value), "active session"}, "date", dayOf(h.Active.At), "days", age(h.Days*24*3600))
		}
		if want > workMemMost {
			want = workMemMost
			text += "; a session that needs more than 2 GB can SET it for itself"
		}
		c.bySpills(max(want, workMemLeast), text, pairs)
	},
}

// bySpills decides between what is there now and what the memory allows by what
// was seen of temporary files.
func (c *Case) bySpills(allowed unit.Bytes, text string, pairs []any) {
	s := c.spilled()
	if !s.known {
		c.Set(allowed, text+"; "+s.why, pairs...)
		return
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
		c.Set(allowed, text+"; hardly anything spills ("+seen+"), but that is what the memory allows", pairs...)
	case asked >= allowed:
		c.Set(allowed, text+"; what spills asks for no less: "+seen, pairs...)
	case s.daily < spillsFew:
		c.Set(asked, "hardly anything spills: "+seen+"; the memory would allow {allowed}, which nothing asks for", append(pairs, "allowed", allowed, "asked", asked)...)
	default:
		sharpen := ""
		if s.byCall == 0 {
			sharpen = "; pg_stat_statements or log_temp_files would tell which statements they are of, and whether a hash was split into many"
		}
		c.Set(asked, seen+"; {asked} hold most of them, as a sort takes up to three times what it writes; the memory would allow {allowed}"+sharpen, append(pairs, "allowed", allowed, "asked", asked)...)
	}
}

// warnTooMuch says that the worst case does not fit even with the least that
// can be set, and what would.
func (c *Case) warnTooMuch(b Basis, conns int) {
	m, ok := c.figures(conns)
	if !ok {
		return
	}
	sb, ok := c.Bytes(knob.PG("shared_buffers"))
	if !ok {
		return
	}
	shared, ok := c.estimate(sb, conns)
	if !ok {
		return
	}
	m.Shared, m.SharedPage, m.WorkMem = shared, memory.BasePage(c.Snapshot), workMemLeast
	if c.wantsHuge() {
		m.SharedPage = hugePageSize(c.Snapshot, c.Instance)
		m.Shared = shared.RoundUp(m.SharedPage)
	}
	need := m.Parts().Sum()
	if need <= b.Share() {
		return
	}
	text := "The worst case does not fit: {connections} with shared_buffers = {buffers} and a work_mem of 64 kB need {need}, and the instance may have {share} of {memory} ({reserve} is kept for the kernel, {others} for other programs)."
	pairs := []any{"connections", count{conns, "connection"}, "buffers", sb.GUC(), "need", need, "memory", b.Total, "share", b.Share(), "reserve", b.Reserve, "others", b.Others}
	if fit, ok := c.admits(b, conns, workMemUsable); ok && fit > 0 {
		c.Warn(text+" With a work_mem of {usable} there is room for {fit}: use a pool.", append(pairs, "fit", count{fit, "connection"}, "usable", workMemUsable)...)
		return
	}
	c.Warn(text+" No number of connections would fit.", pairs...)
}
