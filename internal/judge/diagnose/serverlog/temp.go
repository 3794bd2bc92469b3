package serverlog

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// maxGroups is how many processes may be about to remove files at once.
	maxGroups = 1024
	// spillGap: the files of one execution are removed within moments of its end,
	// large ones (the server splits them at 1 GB) not all in the same second.
	spillGap = 2e6 // microseconds
)

// sizeClasses are the upper bounds of the classes.
var sizeClasses = []unit.Bytes{unit.MB, 10 * unit.MB, 100 * unit.MB, unit.GB, 10 * unit.GB, 0}

// spill is what one execution wrote, as far as its files have been removed.
type spill struct {
	bytes      int64
	hash       uint64
	time       int64
	maintained bool // CREATE INDEX and the like
}

type temp struct {
	files    int64
	bytes    unit.Bytes
	smallest int64
	class    [6]SizeClass
	by       top
	group    map[int]*spill
	spills   sizes
	largest  int64
	buf      []byte

	executions int64
	maintained Maintained
	builds     tally // when those were
}

func (s *temp) take(c *Collector, e *pglog.Entry, at stamp) {
	t, ok := e.Spill()
	if !ok {
		return
	}
	if s.files++; s.files == 1 || t.Size < s.smallest {
		s.smallest = t.Size
	}
	s.bytes = plus(s.bytes, t.Size)
	for i, below := range sizeClasses {
		if below == 0 || t.Size < int64(below) {
			s.class[i].Files++
			s.class[i].Bytes = plus(s.class[i].Bytes, t.Size)
			break
		}
	}
	doing := e.Doing()
	s.by.add(doing, t.Size, c.user(e), c.database(e))
	inner := e.Within()
	s.by.within(doing, inner)
	maintained := pglog.Maintenance(doing) || pglog.Maintenance(inner)
	if maintained {
		s.maintained.Files++
		s.builds.note(at)
		s.maintained.Bytes = plus(s.maintained.Bytes, t.Size)
		if t.Set {
			s.maintained.Shared++
		}
	}
	pid := t.PID
	if pid == 0 {
		pid = e.PID
	}
	var hash uint64
	s.buf, hash = pglog.Fingerprint(doing, s.buf, 1)
	g := s.group[pid]
	if g != nil && (g.hash != hash || !e.Timed || e.Time-g.time > spillGap) {
		s.done(g)
		g = nil
	}
	if g == nil {
		if len(s.group) >= maxGroups {
			s.flush()
		}
		g = &spill{hash: hash, maintained: maintained}
		s.group[pid] = g
	}
	g.bytes = int64(plus(unit.Bytes(g.bytes), t.Size))
	g.time = e.Time
}

func (s *temp) done(g *spill) {
	s.executions++
	if g.maintained { // work_mem has no part in it
		s.maintained.Spills++
		s.maintained.Largest = max(s.maintained.Largest, unit.Bytes(g.bytes))
		return
	}
	s.spills.add(g.bytes)
	s.largest = max(s.largest, g.bytes)
}

// flush ends all groups.
func (s *temp) flush() {
	for _, g := range s.group {
		s.done(g)
	}
	clear(s.group)
}

func (s *temp) report(c *Collector) Temp {
	s.flush()
	out := Temp{Files: s.files, Bytes: s.bytes, Smallest: unit.Bytes(s.smallest), Spills: s.executions,
		Classes: []SizeClass{}, Holds: []Hold{}, Lossy: s.by.lossy}
	for i, cl := range s.class {
		if cl.Files > 0 {
			cl.Below = sizeClasses[i]
			if i > 0 {
				cl.From = sizeClasses[i-1]
			}
			out.Classes = append(out.Classes, cl)
		}
	}
	if s.spills.all > 0 {
		for _, p := range []int{50, 90, 99} {
			size := unit.Bytes(min(s.spills.quantile(p), s.largest))
			out.Holds = append(out.Holds, Hold{Percent: p, Spill: size,
				WorkMem: max(size.Scale(limits.SpillFactor).RoundUp(unit.MB), unit.MB)})
		}
	}
	if s.maintained.Files > 0 {
		m := s.maintained
		out.Maintenance = &m
	}
	out.Statements, out.Others = s.by.first(shownTop)
	c.hide(out.Statements)
	return out
}
