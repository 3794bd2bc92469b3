package serverlog

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

const (
	// defaultTimeout and defaultTarget are those of checkpoint_timeout and
	// checkpoint_completion_target (14 and later; 13 has 0.5, which needs less).
	defaultTimeout = 300.0
	defaultTarget  = 0.9
	// maxWindow is how many checkpoints are held: more than come in one
	// checkpoint_timeout of a day, at one each half a minute.
	maxWindow = 4096
)

// wal follows the checkpoints.
type wal struct {
	timeout, target float64
	assumed         bool

	out       Checkpoints
	start     stamp // of the checkpoint that is running
	before    stamp // of the one before
	forced    bool
	intervals []interval
	windows   sizes
	busiest   float64
	byWAL     bool
}

// interval is the WAL that was written between the starts of two checkpoints:
// «distance» counts from redo point to redo point, which is where they start.
type interval struct {
	end     int64 // microseconds
	seconds float64
	bytes   float64
}

func (s *wal) init(set pg.Settings) {
	t, ok1 := set.Seconds("checkpoint_timeout")
	f, ok2 := set.Float("checkpoint_completion_target")
	s.timeout, s.target, s.assumed = t, f, !ok1 || !ok2
	if s.assumed || t <= 0 {
		s.timeout, s.target, s.assumed = defaultTimeout, defaultTarget, true
	}
	s.out.LongestSync = -1
}

func (s *wal) take(e *pglog.Entry, k pglog.Kind, at stamp) {
	switch k {
	case pglog.CheckpointOften:
		s.out.Warnings++
	case pglog.CheckpointStart:
		switch e.CheckpointReason() {
		case "wal":
			s.out.ByWAL++
		case "time":
			s.out.ByTime++
		case "shutdown", "end-of-recovery":
			s.out.Other++
			s.before, s.start = stamp{}, at
			return
		default:
			s.out.Requested++
		}
		s.before, s.start = s.start, at
	case pglog.CheckpointDone:
		cp := e.Checkpoint()
		s.out.Complete++
		s.out.LongestSync = max(s.out.LongestSync, cp.Longest)
		if cp.Distance < 0 {
			return
		}
		s.out.Distance = plus(s.out.Distance, cp.Distance)
		if span, ok := s.start.since(s.before); ok && span > 0 {
			s.window(interval{end: s.start.us, seconds: span, bytes: float64(cp.Distance)})
		}
	}
}

// window adds an interval and reckons the WAL of the checkpoint_timeout that ends
// with it, at an even rate within each interval.
func (s *wal) window(i interval) {
	s.intervals = append(s.intervals, i)
	from := i.end - int64(s.timeout*1e6)
	sum, covered := 0.0, 0.0
	keep := len(s.intervals)
	for k := len(s.intervals) - 1; k >= 0; k-- {
		x := s.intervals[k]
		if x.end <= from {
			break
		}
		keep = k
		inside := math.Min(x.seconds, float64(x.end-from)/1e6)
		sum += x.bytes * inside / x.seconds
		covered += inside
	}
	s.intervals = append(s.intervals[:0], s.intervals[keep:]...)
	if len(s.intervals) > maxWindow {
		s.intervals = append(s.intervals[:0], s.intervals[1:]...)
	}
	// A log that begins with a burst: what is missing of the window had its rate.
	if covered > 0 && covered < s.timeout {
		sum *= s.timeout / covered
	}
	s.windows.add(int64(math.Min(sum, 1<<60)))
	s.busiest = math.Max(s.busiest, sum)
}

func (s *wal) report() Checkpoints {
	out := s.out
	out.TimeoutSeconds, out.Assumed = s.timeout, s.assumed
	if s.windows.all == 0 {
		return out
	}
	out.Busiest = unit.Bytes(math.Min(s.busiest, 1<<60))
	out.Nine = min(unit.Bytes(s.windows.quantile(90)), out.Busiest)
	if out.ByWAL > 0 || out.Warnings > 0 {
		out.MaxWALSize, out.NineWALSize = s.enough(out.Busiest), s.enough(out.Nine)
	}
	return out
}

// enough is the max_wal_size with which so much WAL in one checkpoint_timeout forces
// no checkpoint: the server begins one when max_wal_size/(1 + completion target) was
// written, so that the WAL of the one before still fits.
func (s *wal) enough(b unit.Bytes) unit.Bytes {
	return b.Scale(1 + s.target).RoundUp(unit.GB)
}
