package rule

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// What a server counted goes before what a profile assumes. Three things keep a
// plan from going to and fro with it. Evidence only chooses below the ceiling
// that the memory sets. It never lowers what is there now: what was counted, was
// counted with it. And a wanted value rests on the counts, not on the value that
// it replaces, so that the planned host, of which the same was counted, is
// planned the same.

// age is for how long something was counted, for people.
type age float64 // seconds

func (a age) String() string {
	if a < 2*24*3600 {
		return count{int(a / 3600), "hour"}.String()
	}
	return count{int(a / (24 * 3600)), "day"}.String()
}

// dayOf is the day of a time of a history, UTC, for people.
func dayOf(seconds int64) string { return time.Unix(seconds, 0).UTC().Format("2006-01-02") }

// peakOfSessions returns what a history tells, where the sessions that are
// counted as at work are the peak that it saw.
func (c *Case) peakOfSessions(conns int) (history.Instance, bool) {
	h, ok := c.Instance.History.Get()
	if !ok || h.Active == nil || c.Options.Active > 0 {
		return h, false
	}
	with, ok := c.atWork(conns)
	if !ok {
		return h, false
	}
	other := *c
	in := *c.Instance
	in.History = known.Fact[history.Instance]{}
	other.Instance = &in
	without, _ := other.atWork(conns)
	return h, with > without
}

// spilled is what temporary files tell of work_mem.
type spilled struct {
	known  bool
	why    string // where nothing is known: a clause
	files  int64
	daily  float64 // files
	mean   unit.Bytes
	span   age        // the longest
	byCall unit.Bytes // nine of ten spilling statements write no more in a call; 0: not counted
}

// spilled reads the temporary files of the databases that were counted for a day.
func (c *Case) spilled() spilled {
	const young = "temporary files were counted for less than a day"
	dbs, ok := Need(c, c.Instance.Server.Databases)
	if !ok {
		return spilled{why: "no temporary files were counted here, so the profile decides"}
	}
	var s spilled
	var bytes unit.Bytes
	for _, d := range dbs {
		secs, ok := c.Instance.Server.CountedFor(d)
		if !ok || secs < memory.MeasuredLeast || d.TempFiles < 0 {
			continue
		}
		s.known = true
		s.files += d.TempFiles
		bytes += max(d.TempBytes, 0)
		s.daily += float64(d.TempFiles) * 24 * 3600 / secs
		s.span = max(s.span, age(secs))
	}
	if !s.known {
		s.why = young + ", so the profile decides"
		return s
	}
	if s.files > 0 {
		s.mean = bytes / unit.Bytes(s.files)
	}
	if st, ok := c.Instance.Server.Spills.Get(); ok && st.Spilling > 0 {
		s.byCall = max(st.Most, 0)
	}
	return s
}

const (
	// spillsFew is how many temporary files a day say nothing about work_mem: one
	// an hour is an index build, a dump, or one report.
	spillsFew = 24
	// workMemFloor is the least that is wanted even where nothing spills: a planner
	// that sees less does not choose the hash that would have spilled, and no
	// file tells.
	workMemFloor = 16 * unit.MB
)

// asked returns the work_mem that the spills ask for, beside what is there now.
func (s spilled) asked(present unit.Bytes) unit.Bytes {
	if s.daily < spillsFew {
		return max(present, workMemFloor)
	}
	size := s.mean * limits.SpillFactor
	if s.byCall > 0 {
		// All files of a call together: those of one node are no more.
		size = max(size, s.byCall)
	}
	return max(present, roundUpToPower(size), workMemFloor)
}

// roundUpToPower returns the power of two that is not below: what grows a little
// from week to week is planned anew only when it has doubled.
func roundUpToPower(b unit.Bytes) unit.Bytes {
	p := unit.MB
	for p < b && p < 1024*unit.TB {
		p *= 2
	}
	return p
}

// enough is a size of shared_buffers beyond which nothing is gained.
type enough struct {
	size unit.Bytes
	why  string
	in   []any
}

const (
	// roomToGrow is what a database is given beyond its size.
	roomToGrow = 1.25
	// hitsEnough and busyEnough: of a thousand pages asked for less than one was
	// not in shared_buffers, at a thousand pages a second or more. An idle server
	// hits as well, and says nothing.
	hitsEnough = 0.999
	busyEnough = 1000.0
	// unusedShare of the buffers never used since the start is no accident.
	unusedShare = 0.1
)

// enoughBuffers returns how much of shared_buffers is enough by what was seen,
// the smallest of what its evidence says; ok is false without evidence.
func (c *Case) enoughBuffers() (e enough, ok bool) {
	present, havePresent := c.Bytes(knob.PG("shared_buffers"))
	dbs, _ := c.Instance.Server.Databases.Get() // a described host has none, and nobody misses them
	sum, whole := unit.Bytes(0), len(dbs) > 0
	hit, read, longest := 0.0, 0.0, 0.0
	for _, d := range dbs {
		size, known := d.Size.Get()
		whole = whole && known
		sum += max(size, 0)
		if secs, ok := c.Instance.Server.CountedFor(d); ok && secs >= memory.MeasuredLeast {
			hit += max(float64(d.BlocksHit), 0) / secs
			read += max(float64(d.BlocksRead), 0) / secs
			longest = max(longest, secs)
		}
	}
	take := func(size unit.Bytes, why string, in ...any) {
		if !ok || size < e.size {
			e, ok = enough{size, why, in}, true
		}
	}
	if whole {
		take(max(roundUpToPower(sum.Scale(roomToGrow)), buffersLeast), "all databases together have {databases}, and a quarter more is room to grow", "databases", sum)
	}
	if !havePresent || present < buffersLeast {
		return e, ok
	}
	if all := hit + read; all >= busyEnough && hit >= hitsEnough*all {
		take(present, "of {asked} pages asked for in a second, over {span}, only {missed} were not in the {present} that it has; the peak is not known",
			"asked", int64(all), "span", age(longest), "missed", int64(read), "present", present)
	}
	if b, seen := c.Instance.Server.BufferCache.Get(); seen && b.Secs >= memory.MeasuredLeast && b.Used > 0 && float64(b.Unused) >= unusedShare*float64(b.Used+b.Unused) {
		take(present, "{unused} of the {present} that it has were never used in {span}", "unused", unit.Bytes(min(b.Unused, 1<<50))*8*unit.KB, "present", present, "span", age(b.Secs))
	}
	return e, ok
}

// churn returns how many rows are updated and deleted in a second, over all
// databases that were counted for a day; ok is false without one.
func (c *Case) churn() (rate float64, span age, ok bool) {
	dbs, _ := c.Instance.Server.Databases.Get()
	for _, d := range dbs {
		if secs, counted := c.Instance.Server.CountedFor(d); counted && secs >= memory.MeasuredLeast {
			rate += max(float64(d.Updated)+float64(d.Deleted), 0) / secs
			span, ok = max(span, age(secs)), true
		}
	}
	return rate, span, ok
}

// largestChanging returns the rows of the largest table that is updated or
// deleted from, of all databases that were asked; ok is false without --deep.
func (c *Case) largestChanging() (rows int64, ok bool) {
	tables, ok := c.Instance.Server.Deep.Tables.Get()
	for _, t := range tables {
		if t.Changed > 0 {
			rows = max(rows, t.Live)
		}
	}
	return rows, ok && rows > 0
}

// commits returns how many transactions are committed in a second, over all
// databases that were counted for a day; ok is false without one.
func (c *Case) commits() (rate float64, span age, ok bool) {
	dbs, _ := c.Instance.Server.Databases.Get()
	for _, d := range dbs {
		if secs, counted := c.Instance.Server.CountedFor(d); counted && secs >= memory.MeasuredLeast {
			rate += max(float64(d.Commits), 0) / secs
			span, ok = max(span, age(secs)), true
		}
	}
	return rate, span, ok
}
