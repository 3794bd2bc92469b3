package serverlog

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// locks gathers waits. A wait is logged once when it passes deadlock_timeout, and
// once more when it ends; its whole length is in the second.
type locks struct {
	waits   int64
	longest float64
	kinds   names
	by      top
	holders names
	queue   int
	on      names
	tied    top // statements of deadlocks
}

func (s *locks) init() { s.kinds, s.holders, s.on = names{}, names{}, names{} }

func (s *locks) take(c *Collector, e *pglog.Entry, k pglog.Kind) {
	w, ok := e.Wait()
	if !ok {
		return
	}
	s.longest = max(s.longest, math.Round(w.Ms*1000)/1e6) // the log has microseconds
	if k == pglog.LockWait {
		s.waits++
		s.kinds.add(w.Mode + " on " + w.Kind)
		doing := e.Doing()
		s.by.add(doing, 0, c.user(e), c.database(e))
		s.by.within(doing, e.Within())
		pids, queue := e.Holders()
		for _, p := range pids {
			s.holders.add(strconv.Itoa(p))
		}
		s.queue = max(s.queue, queue)
		s.place(c, e, w.On)
	}
}

// place counts what was waited for: the relation that the CONTEXT names, or its number.
func (s *locks) place(c *Collector, e *pglog.Entry, on string) {
	switch name := e.Relation(); {
	case name != "":
		s.on.add(c.mask.name("table", name))
	case strings.HasPrefix(on, "relation "), strings.HasPrefix(on, "tuple "):
		s.on.add(on)
	}
}

func (s *locks) deadlock(c *Collector, e *pglog.Entry) {
	s.place(c, e, "")
	list := e.DeadlockStatements()
	if len(list) == 0 && len(e.Statement) > 0 {
		list = [][]byte{e.Statement}
	}
	for _, sql := range list {
		s.tied.add(sql, 0, c.user(e), c.database(e))
	}
}

func (s *locks) report(c *Collector) Locks {
	out := Locks{Waits: s.waits, Longest: s.longest, Deadlocks: c.kinds[pglog.Deadlock].count,
		Timeouts: c.kinds[pglog.LockTimeout].count, Kinds: s.kinds.list(shownTop)}
	out.Holders, out.Queue, out.Relations = s.holders.list(shownTop), s.queue, s.on.list(shownTop)
	out.Waiting, _ = s.by.first(shownTop)
	c.hide(out.Waiting)
	out.Deadlocked, _ = s.tied.first(shownTop)
	for i := range out.Deadlocked { // the entry names the user of one of them only
		out.Deadlocked[i].User, out.Deadlocked[i].Database = "", ""
	}
	c.hide(out.Deadlocked)
	return out
}

// vacuum gathers the reports of autovacuum.
type vacuum struct {
	runs    int64
	longest []Took
	stuck   []Took
	wrap    int64
}

// shownRuns is how many of the longest runs are reported.
const shownRuns = 5

func (s *vacuum) take(c *Collector, e *pglog.Entry, at stamp) {
	s.runs++
	v := e.Vacuum()
	if v.Wrap {
		s.wrap++
	}
	// Almost all are shorter than those that are held.
	if len(s.longest) == shownRuns && v.Seconds <= s.longest[shownRuns-1].Seconds &&
		(v.Dead <= 0 || len(s.stuck) == shownRuns && v.Dead <= s.stuck[shownRuns-1].Dead) {
		return
	}
	took := Took{Table: c.mask.name("table", v.Table), Time: at.String(), Seconds: v.Seconds, Dead: v.Dead}
	s.longest = keepTop(s.longest, took, func(a, b Took) int { return cmp.Compare(b.Seconds, a.Seconds) })
	if v.Dead > 0 {
		// Of one table the worst report is enough.
		if i := slices.IndexFunc(s.stuck, func(t Took) bool { return t.Table == took.Table }); i >= 0 {
			if s.stuck[i].Dead >= took.Dead {
				return
			}
			s.stuck = slices.Delete(s.stuck, i, i+1)
		}
		s.stuck = keepTop(s.stuck, took, func(a, b Took) int { return cmp.Compare(b.Dead, a.Dead) })
	}
}

func keepTop(list []Took, t Took, order func(a, b Took) int) []Took {
	list = append(list, t)
	slices.SortStableFunc(list, order)
	return list[:min(len(list), shownRuns)]
}

func (s *vacuum) report(c *Collector) Vacuum {
	return Vacuum{Runs: s.runs, Canceled: c.kinds[pglog.VacuumCanceled].count, Longest: append([]Took{}, s.longest...),
		Stuck: append([]Took{}, s.stuck...)}
}
