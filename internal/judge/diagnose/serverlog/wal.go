package serverlog

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
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
	// stalledSync is when sessions stall for so long that users notice.
	stalledSync = 5.0
	// wholeWindow is the share of a checkpoint_timeout that has to be in the log to be called one.
	wholeWindow = 0.99
)

// wal follows the checkpoints.
type wal struct {
	restoredNothing bool // restore_command ended well and brought no file
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
// "distance" counts from redo point to redo point, which is where they start.
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

// window adds an interval and computes the WAL of the checkpoint_timeout that ends with it, at an even rate within each
// interval.
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
	// A log that begins with a burst has no whole window yet: at its rate one would have come to so much, which was not
	// observed.
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
	// An extrapolation is based on seconds: no more is advised than for all the WAL that the log has seen.
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
		Verdict: say.N(w.ByWAL, "max_wal_size forced {n} checkpoint before checkpoint_timeout",
			"max_wal_size forced {n} checkpoints before checkpoint_timeout")}
	if w.ByWAL == 0 {
		f.Verdict = say.N(w.Warnings, "Checkpoints too frequent: {n} warning", "Checkpoints too frequent: {n} warnings")
	}
	f.Count = max(w.ByWAL, w.Warnings)
	if w.ByWAL+w.ByTime+w.Requested > 0 { // without log_checkpoints, their number is unknown
		f.Evidence = append(f.Evidence, say.N(w.Warnings,
			"{wal} by WAL volume, {time} by time, {requested} requested; {n} warning \"occurring too frequently\"",
			"{wal} by WAL volume, {time} by time, {requested} requested; {n} warnings \"occurring too frequently\"",
			"wal", w.ByWAL, "time", w.ByTime, "requested", w.Requested))
	}
	if w.ShortestApart != nil {
		f.Evidence = append(f.Evidence, say.M("shortest interval: {time}", "time",
			say.Number(fmt.Sprintf("%d s", *w.ShortestApart))))
	}
	if w.LargestDistance > 0 {
		f.Evidence = append(f.Evidence, say.M("WAL of the largest checkpoint: {largest}, of all: {all} (distance=)",
			"largest", w.LargestDistance, "all", w.Distance))
	}
	if w.MaxWALSize > 0 {
		f.Evidence = append(f.Evidence, c.walRate(w))
	}
	f.Do = append(f.Do, c.walAdvice(w)...)
	return f, true
}

// walRate says how much WAL a checkpoint_timeout has, and what that is based on.
func (c *Collector) walRate(w Checkpoints) say.Message {
	target := strconv.FormatFloat(c.wal.target, 'g', -1, 64)
	how := say.M("with checkpoint_timeout = {timeout} and checkpoint_completion_target = {target}", "timeout",
		span(c.wal.timeout), "target", target)
	if w.Assumed {
		how = say.M("with the defaults checkpoint_timeout = {timeout} and checkpoint_completion_target = {target}, "+
			"because the settings of the server are unknown", "timeout", span(c.wal.timeout), "target", target)
	}
	if w.Extrapolated {
		return say.M("WAL per checkpoint_timeout: {busiest}, extrapolated from the busiest {seen} in the log ({how})",
			"busiest", w.Busiest, "seen", span(w.SeenSeconds), "how", how)
	}
	return say.M("WAL in the busiest checkpoint_timeout: {busiest}, in 90% of them at most {nine} (from distance=, "+
		"{how})", "busiest", w.Busiest, "nine", w.Nine, "how", how)
}

func (c *Collector) walAdvice(w Checkpoints) []say.Message {
	room := say.M("the smaller of {share} of the disk and {free} of its free space plus WAL", "share",
		say.Number(fmt.Sprintf("%g%%", 100*limits.WALShare)), "free",
		say.Number(fmt.Sprintf("%g%%", 100*limits.WALFreeShare)))
	set := say.Text("ALTER SYSTEM SET max_wal_size = '" + w.MaxWALSize.GUC() + "'; SELECT pg_reload_conf();")
	switch {
	case c.wal.segments:
		return []say.Message{
			say.M("Raise checkpoint_segments until the warnings stop: each is 16 MB, and up to three times as many " +
				"are kept. PostgreSQL 9.5 and later have max_wal_size instead."),
			say.M("Set log_checkpoints = on (reload): then \"checkpoint complete\" shows how much WAL each one had.")}
	case w.MaxWALSize == 0 && w.Complete+w.ByWAL+w.ByTime+w.Requested > 0: // log_checkpoints is on
		return []say.Message{say.M("To calculate max_wal_size, the log must have two consecutive checkpoints with " +
			"their WAL. Read a longer part of the log, or run pgfettle plan on the host.")}
	case w.MaxWALSize == 0:
		return []say.Message{say.M("Turn on log_checkpoints: {command} Then \"checkpoint complete\" shows the WAL of "+
			"each, from which max_wal_size can be calculated. Without it, double max_wal_size until the warnings stop.",
			"command", "ALTER SYSTEM SET log_checkpoints = on; SELECT pg_reload_conf();")}
	case c.wal.present >= w.MaxWALSize && w.Bounded:
		return []say.Message{say.M("max_wal_size is {present}, and the disk of pg_wal has no room for more than "+
			"{size} ({room}). Move pg_wal to a larger disk, or use wal_compression.", "present", c.wal.present.GUC(),
			"size", w.MaxWALSize.GUC(), "room", room)}
	case c.wal.present >= w.MaxWALSize:
		return []say.Message{say.M("max_wal_size is {present} now, enough for the WAL in this log.", "present",
			c.wal.present.GUC())}
	case w.Bounded:
		return []say.Message{say.M("Raise max_wal_size as far as the disk of pg_wal has room ({room}): {command} For "+
			"all checkpoints to be timed, move pg_wal to a larger disk, or use wal_compression.", "room", room,
			"command", set)}
	case w.Extrapolated:
		return []say.Message{say.M("Raise max_wal_size to fit the WAL in this log: {command} A longer log, or "+
			"pgfettle plan on the host, shows whether more is needed. The disk of pg_wal should be at least five "+
			"times as large.", "command", set)}
	}
	do := say.M("Raise max_wal_size: {command} With it, all checkpoints of this log would have been timed.", "command",
		set)
	if w.NineWALSize < w.MaxWALSize {
		do = say.M("Raise max_wal_size: {command} With it, all checkpoints of this log would have been timed, with "+
			"'{nine}' those in 90% of the time.", "command", set, "nine", w.NineWALSize.GUC())
	}
	do = say.All(" ", do, say.M("pg_wal can take that much disk space, and crash recovery takes longer."))
	if c.wal.disk == nil {
		do = say.All(" ", do, say.M("The disk should be at least five times as large."))
	}
	return []say.Message{do}
}

// slowSyncs is the finding of files whose fsync took long.
func (c *Collector) slowSyncs(r *Report) (Finding, bool) {
	w := r.Checkpoints
	if w.SlowSyncs == 0 {
		return Finding{}, false
	}
	f := Finding{ID: "slow_sync", Severity: Notice, Count: w.SlowSyncs, First: c.wal.slow.first.String(),
		Last: c.wal.slow.last.String(), Verdict: say.N(w.SlowSyncs,
			"Slow fsync: {longest} for one file at the end of a checkpoint",
			"Slow fsync: 1 s or longer for one file in {n} checkpoints, {longest} at most", "longest",
			span(w.LongestSync))}
	if w.LongestSync >= stalledSync {
		f.Severity = Warning
	}
	var most say.List
	add := func(seconds float64, what say.Message) {
		if seconds >= 0 { // a line may be cut
			most.Items = append(most.Items, say.M("{what} {time}", "what", what, "time",
				say.Number(fmt.Sprintf("%.3f s", seconds))))
		}
	}
	add(w.LongestSync, say.M("one file (longest=)"))
	add(w.LongestPhase, say.M("all files (sync=)"))
	add(w.LongestTotal, say.M("whole checkpoint (total=)"))
	f.Evidence = append(f.Evidence, say.M("maximum of all checkpoints: {values}", "values", most))
	f.Do = append(f.Do,
		say.M("The disk is slow. If pg_wal is on it too, commits wait meanwhile. iostat -x 1 during a checkpoint "+
			"shows it, and pgfettle probe measures its flushes. A cloud volume may have used up its burst credits, "+
			"or other guests or a backup use the disk."),
		say.M("Let the kernel write in smaller portions: checkpoint_flush_after at its default, a lower "+
			"vm.dirty_background_bytes, checkpoint_completion_target = 0.9, and timed checkpoints (max_wal_size)."))
	return f, true
}
