package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// spilled is what temporary files tell of work_mem.
type spilled struct {
	known  bool
	why    string // where nothing is known: a clause
	files  int64
	daily  float64 // files
	mean   unit.Bytes
	span   rule.Age   // the longest
	byCall unit.Bytes // nine of ten spilling statements write no more in a call; 0: not counted
}

// spilled reads the temporary files of the databases that were counted for a day.
func readSpills(c *rule.Case) spilled {
	const young = "temporary files were counted for less than a day"
	dbs, ok := rule.Need(c, c.Instance.Server.Databases)
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
		s.span = max(s.span, rule.Age(secs))
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
	return max(present, sizing.RoundUpToPower(size), workMemFloor)
}

// bySpills decides between what is there now and what the memory allows by what
// was seen of temporary files. Without them no profile gets more than its cap.
func bySpills(c *rule.Case, allowed unit.Bytes, text string, pairs []any) (unit.Bytes, string, []any) {
	s := readSpills(c)
	if !s.known {
		if most := c.Prior().WorkMem; allowed > most {
			return most,
				"{most} is what a server of the {profile} profile gets without evidence of larger spills; the " +
					"memory would allow {allowed}: " + text + "; " + s.why,
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
	pairs = append(pairs, "files", rule.CountOf(int(s.files), "temporary file", "temporary files"), "span", s.span,
		"mean", s.mean, "call", s.byCall)
	switch {
	case asked >= allowed && s.daily < spillsFew:
		return allowed, text + "; hardly anything spills (" + seen + "), but that is what the memory allows", pairs
	case asked >= allowed:
		return allowed, text + "; what spills asks for no less: " + seen, pairs
	case s.daily < spillsFew:
		return asked, "hardly anything spills: " + seen + "; the memory would allow {allowed}, which nothing asks for",
			append(pairs, "allowed", allowed, "asked", asked)
	}
	sharpen := ""
	if s.byCall == 0 {
		sharpen = "; pg_stat_statements or log_temp_files would tell which statements they are of, and whether a " +
			"hash was split into many"
	}
	return asked, seen +
			"; {asked} hold most of them, as a sort takes up to three times what it writes; the memory would allow " +
			"{allowed}" + sharpen,
		append(pairs, "allowed", allowed, "asked", asked)
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
