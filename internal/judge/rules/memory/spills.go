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

// spilled is what temporary files say about work_mem.
type spilled struct {
	known  bool
	why    say.Message // if nothing is known: a clause
	files  int64
	daily  float64 // files
	mean   unit.Bytes
	span   say.Span   // the longest
	byCall unit.Bytes // nine of ten spilling statements write no more in a call; 0: not counted
}

// spilled reads the temporary files of the databases that were counted for a day.
func readSpills(c *rule.Case) spilled {
	dbs, ok := rule.Need(c, c.Instance.Server.Databases)
	if !ok {
		return spilled{why: say.M("temporary files: no statistics here, so the profile decides")}
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
		s.span = max(s.span, say.Span(secs))
	}
	if !s.known {
		s.why = say.M("temporary files: less than one day of statistics, so the profile decides")
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

// asked returns the work_mem that the spills require, given the present one.
func (s spilled) asked(present unit.Bytes) unit.Bytes {
	if s.daily < spillsFew {
		return max(present, workMemFloor)
	}
	size := s.mean * limits.SpillFactor
	if s.byCall > 0 {
		// All files of a call together: those of one node are no more.
		size = max(size, s.byCall)
	}
	return max(present, sizing.RoundUpToPower(size), workMemFloor)
}

// bySpills decides between what is there now and what the memory allows by what
// was seen of temporary files. Without them no profile gets more than its cap.
func bySpills(c *rule.Case, allowed unit.Bytes, reason say.Message) (unit.Bytes, say.Message) {
	s := readSpills(c)
	if !s.known {
		if most := c.Prior().WorkMem; allowed > most {
			given := say.M("{most} is the limit of the {profile} profile without evidence of larger spills; memory "+
				"would allow {allowed}", "most", most, "profile", string(c.Options.Profile), "allowed",
				allowed)
			return most, say.All("; ", say.All(": ", given, reason), s.why)
		}
		return allowed, say.All("; ", reason, s.why)
	}
	present, _ := c.Bytes(knob.PG("work_mem"))
	asked := s.asked(present)
	seen := say.M("{files} in {span}, {mean} each on average", "files",
		say.N(s.files, "{n} temporary file", "{n} temporary files"), "span", s.span, "mean", s.mean)
	switch {
	case s.files == 0:
		seen = say.M("none in {span}", "span", s.span)
	case s.byCall > 0:
		seen = say.All(", ", seen, say.M("and 90% of the spilling statements in pg_stat_statements write at most "+
			"{call} per call", "call", s.byCall))
	}
	switch {
	case asked >= allowed && s.daily < spillsFew:
		return allowed, say.All("; ", reason,
			say.M("few temporary files ({spills}), but memory allows no more", "spills", seen))
	case asked >= allowed:
		return allowed, say.All("; ", reason, say.M("at least this much is needed, because of the temporary files "+
			"({spills})", "spills", seen))
	case s.daily < spillsFew:
		return asked, say.M("few temporary files: {spills}; memory would allow {allowed}, but nothing needs it",
			"spills", seen, "allowed", allowed)
	}
	var sharpen say.Message
	if s.byCall == 0 {
		sharpen = say.M("pg_stat_statements or log_temp_files show which statements spill, and whether a hash is " +
			"split into many batches")
	}
	return asked, say.All("; ", seen,
		say.M("{asked} holds most of them, because a sort takes up to 3 × what it writes; memory would allow {allowed}",
			"asked", asked, "allowed", allowed), sharpen)
}

const (
	// spillsFew is how many temporary files a day say nothing about work_mem: one
	// an hour is an index build, a dump, or one report.
	spillsFew = 24
	// workMemFloor is the least that is wanted even if nothing spills: a planner that sees less does not choose the
	// hash that would have spilled, and no file shows it.
	workMemFloor = 16 * unit.MB
)
