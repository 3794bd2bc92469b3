package serverlog

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

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
	longOf  int          // the process whose wait was the longest
	ended   bool         // its end is in the log
	on      names        // relations that waits were for
	tiedOn  names        // those of deadlocks
	tied    top          // statements of deadlocks
	open    map[int]bool // processes whose wait is in the log, and not its end; nil: too many
	found   struct {     // the deadlock that a session has told of before its error
		pid     int
		on, sql string
		held    []int
	}
	tiedBy names // processes that held the locks of deadlocks whose error has no DETAIL
	untold int64 // deadlocks without it
	first  []Tied
}

// maxTied deadlocks are kept one by one.
const maxTied = 10

// maxOpen is how many waits that go on are followed.
const maxOpen = 10000

func (s *locks) init() {
	s.kinds, s.holders, s.on, s.tiedOn, s.tiedBy, s.open = names{}, names{}, names{}, names{}, names{},
		map[int]bool{}
}

func (s *locks) take(c *Collector, e *pglog.Entry, k pglog.Kind, at stamp) {
	w, ok := e.Wait()
	if !ok {
		return
	}
	if v := math.Round(w.Ms*1000) / 1e6; v > s.longest { // the log has microseconds
		s.longest, s.longOf, s.ended = v, w.PID, k == pglog.LockGot
	}
	if k == pglog.LockGot {
		if s.open == nil || s.open[w.PID] {
			delete(s.open, w.PID)
			return
		}
		c.kinds[pglog.LockWait].note(at) // its beginning was cut away
	} else if s.open != nil {
		if s.open[w.PID] = true; len(s.open) > maxOpen {
			s.open = nil
		}
	}
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
	s.place(s.on, c, e, w.On)
}

// place counts what was waited for: the relation that the CONTEXT names, or else those that are told by their numbers.
func (s *locks) place(to names, c *Collector, e *pglog.Entry, numbers ...string) {
	if name := e.Relation(); name != "" {
		to.add(c.mask.name("table", name))
		return
	}
	for _, on := range numbers {
		if on != "" {
			to.add(on)
		}
	}
}

// deadlockFound keeps the relation of a deadlock for its error, which has the same CONTEXT unless it is cut.
func (s *locks) deadlockFound(c *Collector, e *pglog.Entry) {
	if s.found.on != "" { // the error of the one before is not there
		s.tiedOn.add(s.found.on)
	}
	s.found.pid, s.found.on, s.found.sql = e.PID, c.mask.name("table", e.Relation()), string(e.Statement)
	s.found.held, _ = e.Holders()
}

// deadlock takes the error; placed says that its user is that of a statement.
func (s *locks) deadlock(c *Collector, e *pglog.Entry, at stamp) (placed bool) {
	numbers := e.DeadlockOn()
	list := e.DeadlockStatements()
	if len(s.first) < maxTied {
		x := Tied{Time: at.String(), Victim: e.PID, Relation: c.mask.name("table", e.Relation()), Tuple: e.Tuple(),
			User: c.user(e), Database: c.database(e)}
		for _, l := range list {
			if l.PID > 0 && !slices.Contains(x.Processes, l.PID) {
				x.Processes = append(x.Processes, l.PID)
			}
		}
		s.first = append(s.first, x)
	}
	if len(list) == 0 {
		s.untold++
	}
	if s.found.pid == e.PID {
		if s.found.on != "" && e.Relation() == "" {
			s.tiedOn.add(s.found.on)
			numbers = nil
		}
		if len(e.Detail) == 0 {
			for _, p := range s.found.held {
				s.tiedBy.add(strconv.Itoa(p))
			}
			if len(e.Statement) == 0 && s.found.sql != "" {
				list = []pglog.Locked{{PID: e.PID, SQL: []byte(s.found.sql)}}
			}
		}
		s.found.on, s.found.sql, s.found.held = "", "", nil
	}
	s.place(s.tiedOn, c, e, numbers...)
	if len(list) == 0 && len(e.Statement) > 0 {
		list = []pglog.Locked{{PID: e.PID, SQL: e.Statement}}
	}
	for _, l := range list {
		if l.PID != e.PID { // the entry names the user of its own process only
			s.tied.add(l.SQL, 0, "", "")
			continue
		}
		s.tied.add(l.SQL, 0, c.user(e), c.database(e))
	}
	return len(list) > 0 && len(e.Detail) > 0
}

func (s *locks) report(c *Collector) Locks {
	if s.found.on != "" {
		s.tiedOn.add(s.found.on)
		s.found.on = ""
	}
	out := Locks{Waits: s.waits, Longest: s.longest, Deadlocks: c.kinds[pglog.Deadlock].count,
		Timeouts: c.kinds[pglog.LockTimeout].count, Kinds: s.kinds.list(shownTop)}
	out.Holders, out.Queue, out.Relations = s.holders.list(shownTop), s.queue, sum(s.on, s.tiedOn).list(shownTop)
	out.Waiting, _ = s.by.first(shownTop)
	c.hide(out.Waiting)
	out.Deadlocked, _ = s.tied.first(shownTop)
	c.hide(out.Deadlocked)
	out.Tied = s.first
	return out
}

// sum are the counts of two together.
func sum(a, b names) names {
	out := maps.Clone(a)
	for name, n := range b {
		out[name] += n
	}
	return out
}

// vacuum gathers the reports of autovacuum.
type vacuum struct {
	runs    int64
	longest []Took
	stuck   []Took
	wrap    int64
}

// Bounds of dead rows that wait to be removed: a million are a bloat that can be measured, whatever the table; fewer
// are where they are the half of a table that is not small.
const (
	manyDead = 1e6
	halfDead = 1e5
)

// stuck says whether dead rows of a table are so many that a person should know.
func (t Took) stuck() bool {
	return t.Dead >= manyDead || t.Dead >= halfDead && 2*t.Dead >= t.Rows && t.Rows > 0
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
	took := Took{Table: c.mask.name("table", v.Table), Time: at.String(), Seconds: v.Seconds, Dead: v.Dead,
		Rows: max(v.Rows, 0)}
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
