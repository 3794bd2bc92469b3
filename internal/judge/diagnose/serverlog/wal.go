package serverlog

import (
	"bytes"
	"fmt"
	"math"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// defaultTimeout and defaultTarget are those of checkpoint_timeout and
	// checkpoint_completion_target (14 and later; 13 has 0.5, which needs less).
	defaultTimeout = 300.0
	defaultTarget  = 0.9
	// maxWindow is how many checkpoints are held: more than come in one
	// checkpoint_timeout of a day, at one each half a minute.
	maxWindow = 4096
	// slowSync is what an fsync of one file takes on a disk that everybody waits for: commits
	// queue behind it, and even a rotating disk needs hundredths of it.
	slowSync = 1.0
	// stalledSync is where sessions stand still for so long that users see it.
	stalledSync = 5.0
	// wholeWindow is the share of a checkpoint_timeout that has to be in the log to be called one.
	wholeWindow = 0.99
)

// wal follows the checkpoints.
type wal struct {
	timeout, target float64
	assumed         bool
	disk            *WALDisk
	present         unit.Bytes // max_wal_size; 0: not known

	out       Checkpoints
	start     stamp // of the checkpoint that is running
	before    stamp // of the one before
	intervals []interval
	windows   sizes
	busiest   float64
	part      float64 // of a window that is not whole: what its rate would come to
	seen      float64 // seconds of that window
	segments  bool    // the server is of 9.4 or older
	slow      tally
	forced    tally // checkpoints that max_wal_size forced, and warnings of them
}

// interval is the WAL that was written between the starts of two checkpoints:
// «distance» counts from redo point to redo point, which is where they start.
type interval struct {
	end     int64 // microseconds
	seconds float64
	bytes   float64
}

func (s *wal) init(set pg.Settings, disk *WALDisk) {
	t, ok1 := set.Seconds("checkpoint_timeout")
	f, ok2 := set.Float("checkpoint_completion_target")
	s.timeout, s.target, s.assumed = t, f, !ok1 || !ok2
	if s.assumed || t <= 0 {
		s.timeout, s.target, s.assumed = defaultTimeout, defaultTarget, true
	}
	s.disk = disk
	s.present, _ = set.Bytes("max_wal_size")
	s.out.LongestSync, s.out.LongestPhase, s.out.LongestWrite, s.out.LongestTotal = -1, -1, -1, -1
}

func (s *wal) take(e *pglog.Entry, k pglog.Kind, at stamp) {
	switch k {
	case pglog.CheckpointOften:
		s.out.Warnings++
		s.forced.note(at)
		s.segments = s.segments || bytes.Contains(e.Hint, []byte("checkpoint_segments"))
		if v := e.Apart(); v >= 0 && (s.out.ShortestApart == nil || v < *s.out.ShortestApart) {
			s.out.ShortestApart = &v
		}
	case pglog.CheckpointStart:
		switch e.CheckpointReason() {
		case "wal":
			s.out.ByWAL++
			s.forced.note(at)
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
		s.done(e, at)
	}
}

func (s *wal) done(e *pglog.Entry, at stamp) {
	cp := e.Checkpoint()
	s.out.Complete++
	s.out.LongestSync = max(s.out.LongestSync, cp.Longest)
	s.out.LongestPhase = max(s.out.LongestPhase, cp.Sync)
	s.out.LongestWrite = max(s.out.LongestWrite, cp.Write)
	s.out.LongestTotal = max(s.out.LongestTotal, cp.Total)
	s.out.LargestEstimate = max(s.out.LargestEstimate, unit.Bytes(max(cp.Estimate, 0)))
	if cp.Longest >= slowSync {
		s.out.SlowSyncs++
		s.slow.note(at)
	}
	if cp.Distance < 0 {
		return
	}
	s.out.LargestDistance = max(s.out.LargestDistance, unit.Bytes(cp.Distance))
	s.out.Distance = plus(s.out.Distance, cp.Distance)
	if span, ok := s.start.since(s.before); ok && span > 0 {
		s.window(interval{end: s.start.us, seconds: span, bytes: float64(cp.Distance)})
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
	// A log that begins with a burst has no whole window yet: at its rate one would have
	// come to so much, which nobody has seen.
	if covered < s.timeout*wholeWindow {
		if covered > 0 && sum*s.timeout/covered > s.part {
			s.part, s.seen = sum*s.timeout/covered, covered
		}
		return
	}
	s.windows.add(int64(math.Min(sum, 1<<60)))
	s.busiest = math.Max(s.busiest, sum)
}

func (s *wal) report() Checkpoints {
	out := s.out
	out.TimeoutSeconds, out.Assumed = s.timeout, s.assumed
	switch {
	case s.windows.all > 0:
		out.Busiest = unit.Bytes(math.Min(s.busiest, 1<<60))
		out.Nine = min(unit.Bytes(s.windows.quantile(90)), out.Busiest)
		out.SeenSeconds = s.timeout
	case s.part > 0:
		out.Busiest = unit.Bytes(math.Min(s.part, 1<<60))
		out.Nine, out.Extrapolated, out.SeenSeconds = out.Busiest, true, s.seen
	default:
		return out
	}
	if out.ByWAL == 0 && out.Warnings == 0 {
		return out
	}
	// What was extrapolated rests on seconds: no more is advised than for all the WAL that
	// the log has seen.
	need, nine := out.Busiest, out.Nine
	if out.Extrapolated {
		need = min(need, out.Distance)
		nine = need
	}
	out.MaxWALSize, out.NineWALSize = s.enough(need), s.enough(nine)
	if s.disk != nil {
		if room := limits.WALRoom(s.disk.Total, s.disk.Free, s.disk.WAL); room < out.MaxWALSize {
			out.MaxWALSize, out.Bounded = room.RoundDown(64*unit.MB), true
			out.NineWALSize = min(out.NineWALSize, out.MaxWALSize)
		}
	}
	return out
}

// enough is the max_wal_size with which so much WAL in one checkpoint_timeout forces
// no checkpoint: the server begins one when max_wal_size/(1 + completion target) was
// written, so that the WAL of the one before still fits.
func (s *wal) enough(b unit.Bytes) unit.Bytes {
	return b.Scale(1 + s.target).RoundUp(unit.GB)
}

func (c *Collector) checkpoints(r *Report) (Finding, bool) {
	w := r.Checkpoints
	if w.ByWAL == 0 && w.Warnings == 0 {
		return Finding{}, false
	}
	// One or two by a bulk load are how max_wal_size is meant to work.
	sev := Notice
	if w.Warnings > 0 || w.ByWAL >= 10 && w.ByWAL > w.ByTime {
		sev = Warning
	}
	f := Finding{ID: "checkpoints", Severity: sev, First: c.wal.forced.first.String(), Last: c.wal.forced.last.String(),
		Verdict: fmt.Sprintf("max_wal_size forced %s before checkpoint_timeout was over",
			Things(w.ByWAL, "checkpoint", "checkpoints"))}
	if w.ByWAL == 0 {
		f.Verdict = fmt.Sprintf("checkpoints came too often: the server warned %s", times(w.Warnings))
	}
	f.Count = max(w.ByWAL, w.Warnings)
	f.Evidence = append(f.Evidence, fmt.Sprintf("%d by WAL, %d by time, %d requested; %s of «too frequently»", w.ByWAL,
		w.ByTime, w.Requested, Things(w.Warnings, "warning", "warnings")))
	if w.ShortestApart != nil {
		f.Evidence = append(f.Evidence, fmt.Sprintf("as little as %d s apart", *w.ShortestApart))
	}
	if w.LargestDistance > 0 {
		f.Evidence = append(f.Evidence,
			fmt.Sprintf("the largest checkpoint covered %s of WAL, all together %s (distance=)",
				w.LargestDistance, w.Distance))
	}
	if w.MaxWALSize > 0 {
		f.Evidence = append(f.Evidence, c.walRate(w))
	}
	f.Do = append(f.Do, c.walAdvice(w)...)
	return f, true
}

// walRate says how much WAL a checkpoint_timeout has, and what that rests on.
func (c *Collector) walRate(w Checkpoints) string {
	how := fmt.Sprintf("checkpoint_timeout = %s and checkpoint_completion_target = %g", span(c.wal.timeout),
		c.wal.target)
	if w.Assumed {
		how += ", the defaults, as the server's settings are not known here"
	}
	if w.Extrapolated {
		return fmt.Sprintf("at the rate of the busiest %s in the log a checkpoint_timeout would come to %s of WAL "+
			"(extrapolated; with %s)", span(w.SeenSeconds), w.Busiest, how)
	}
	return fmt.Sprintf(
		"the busiest checkpoint_timeout wrote %s of WAL, nine of ten at most %s (from «distance=», with %s)",
		w.Busiest, w.Nine, how)
}

func (c *Collector) walAdvice(w Checkpoints) []string {
	switch {
	case c.wal.segments:
		return []string{
			"Raise checkpoint_segments until the warnings end (each is 16 MB, and three times that is kept " +
				"at most); 9.5 and later have another setting in its place.",
			"SET log_checkpoints = on (a reload suffices): «checkpoint complete» then tells how many segments each " +
				"needed."}
	case w.MaxWALSize == 0 && w.Complete+w.ByWAL+w.ByTime+w.Requested > 0: // log_checkpoints is on
		return []string{
			"This part of the log has no two checkpoints in a row with their WAL, from which the max_wal_size " +
				"follows: read a longer part, or run pgfettle plan on the server."}
	case w.MaxWALSize == 0:
		return []string{
			"SET log_checkpoints = on (a reload suffices): «checkpoint complete» then tells the WAL of each, " +
				"from which the max_wal_size follows. Without it: double max_wal_size until the warnings end."}
	case c.wal.present >= w.MaxWALSize && w.Bounded:
		return []string{
			fmt.Sprintf("max_wal_size is %s, and the disk of pg_wal has no room for more: a fifth of it, and "+
				"40 %% of what is free there or WAL already, are %s. pg_wal on a larger disk, or wal_compression.",
				c.wal.present.GUC(), w.MaxWALSize.GUC())}
	case c.wal.present >= w.MaxWALSize:
		return []string{fmt.Sprintf("max_wal_size is %s now, which has room for the WAL that this log shows.",
			c.wal.present.GUC())}
	case w.Bounded:
		return []string{
			fmt.Sprintf("ALTER SYSTEM SET max_wal_size = '%s'; SELECT pg_reload_conf(); is what the disk of "+
				"pg_wal has room for: a fifth of it, and 40 %% of what is free there or WAL already. More would let "+
				"every "+
				"checkpoint come by the clock: pg_wal on a larger disk, or wal_compression.", w.MaxWALSize.GUC())}
	case w.Extrapolated:
		return []string{
			fmt.Sprintf("ALTER SYSTEM SET max_wal_size = '%s'; SELECT pg_reload_conf(); has room for the WAL "+
				"that this log shows; a longer log, or pgfettle plan on the server, says whether it needs more. Make "+
				"sure that the disk of pg_wal is at least five times as large.", w.MaxWALSize.GUC())}
	}
	do := fmt.Sprintf("ALTER SYSTEM SET max_wal_size = '%s'; SELECT pg_reload_conf(); would have let every checkpoint "+
		"come by the clock", w.MaxWALSize.GUC())
	if w.NineWALSize < w.MaxWALSize {
		do += fmt.Sprintf(", '%s' those of nine of ten stretches", w.NineWALSize.GUC())
	}
	do += ". It needs that much disk below pg_wal, and a longer recovery after a crash."
	if c.wal.disk == nil {
		do += " Make sure that this disk is at least five times as large."
	}
	return []string{do}
}

// slowSyncs is the finding of files whose fsync took long.
func (c *Collector) slowSyncs(r *Report) (Finding, bool) {
	w := r.Checkpoints
	if w.SlowSyncs == 0 {
		return Finding{}, false
	}
	f := Finding{ID: "slow_sync", Severity: Notice, Count: w.SlowSyncs, First: c.wal.slow.first.String(),
		Last: c.wal.slow.last.String(), Verdict: fmt.Sprintf("the fsync of one file took %s at the end of a checkpoint",
			span(w.LongestSync))}
	if w.SlowSyncs > 1 {
		f.Verdict = fmt.Sprintf("the fsync of one file took a second or more in %d checkpoints, %s at most",
			w.SlowSyncs,
			span(w.LongestSync))
	}
	if w.LongestSync >= stalledSync {
		f.Severity = Warning
	}
	f.Evidence = append(f.Evidence,
		fmt.Sprintf("longest=%.3f s of one file, sync=%.3f s of one checkpoint; a whole one "+
			"took %.3f s at most", w.LongestSync, w.LongestPhase, w.LongestTotal))
	f.Do = append(f.Do,
		"The disk is what is slow: commits wait in the same queue meanwhile. iostat -x 1 during a checkpoint "+
			"shows it; "+
			"pgfettle probe measures its flushes. A cloud volume may have used up its burst, and a neighbor or a "+
			"backup its share.",
		"Smooth what the kernel holds back: checkpoint_flush_after at its default, a lower vm.dirty_background_bytes, "+
			"checkpoint_completion_target = 0.9, and checkpoints that come by the clock.")
	return f, true
}
