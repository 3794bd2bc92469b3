package servers

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/test/cell"
)

// killsOfEach is how often the program is killed on each version in one round. Each
// run draws other moments: few in a test that is run every day, and in a round of make
// soak, which makes the hundred and more that an apply has to survive, a story of some length.
func killsOfEach() int { return inARound(6, 15) }

// TestKilledAtAnyPoint kills the real program with SIGKILL while it applies,
// resumes and takes back, at points spread over its whole run. After each kill
// every configuration file is one that the journal names, byte for byte, the
// server starts with it, what others had set stands, and the data is whole. Who
// resumes comes to all of the plan, who undoes to what was before, and both may
// be killed again on the way.
func TestKilledAtAnyPoint(t *testing.T) {
	bin := cell.Binary(t)
	rounds(t, func(seed uint64) {
		sum := &tally{phases: map[string]map[string]int{}}
		t.Run("versions", func(t *testing.T) {
			on(t, []int{13, 15, 18}, func(t *testing.T, b scratch.Binaries) {
				killed(t, b, bin, seed, sum)
			})
		})
		t.Log(sum)
		if all, within := sum.of("apply"); !t.Failed() && 2*within < all {
			t.Errorf("only %d of %d kills of apply hit it between the first line of its journal and the last",
				within, all)
		}
	})
}

// killed is the part of one version.
func killed(t *testing.T, b scratch.Binaries, bin string, seed uint64, sum *tally) {
	y := newTrialServer(t, b, bin)
	gaps := y.undisturbed(rand.New(rand.NewPCG(seed, uint64(b.Version.Major()))))
	kills, most := 0, killsOfEach()
	for n := 1; kills < most; n++ {
		// a source of its own for each, so that what one draws does not hang on how the others ended
		tr := &trial{trialServer: y, gaps: gaps, sum: sum, n: n,
			rng: rand.New(rand.NewPCG(seed, uint64(b.Version.Major()*10000+n)))}
		tr.run()
		kills += tr.kills
		if n > 10*most {
			t.Fatalf("%d kills in %d trials: the program ends before it is killed", kills, n)
		}
		if n%10 == 0 {
			progress("killed %s: %d trials, %d kills", b.Version, n, kills)
		}
	}
}

// trial is one apply, what happens to it, and the way back.
type trial struct {
	*trialServer
	gaps  gaps
	sum   *tally
	n     int
	rng   *rand.Rand
	kills int

	knobs   []turned
	journal string
	begin   confFiles         // every configuration file at its start
	edits   map[string]string // set by others while the apply was interrupted; nil: nothing
	story   []string
}

func (tr *trial) tell(format string, args ...any) {
	tr.story = append(tr.story, fmt.Sprintf(format, args...))
}

// fail ends the test with all that is needed to see why.
func (tr *trial) fail(format string, args ...any) {
	tr.t.Helper()
	tr.t.Fatalf("trial %d: %s\n%s\njournal:\n%s\nlog of the server:\n%s", tr.n, fmt.Sprintf(format, args...),
		strings.Join(tr.story, "\n"), tr.lines(), tr.log())
}

func (tr *trial) run() {
	tr.trialServer.trial = tr
	tr.allows()
	tr.knobs = tr.draw(tr.rng)
	tr.journal = filepath.Join(tr.t.TempDir(), "journal")
	tr.commit()
	tr.begin = tr.look()
	tr.tell("apply of %v", names(tr.knobs))

	// The journal's own lines: begin, the planned, two a change, then three.
	code, hit := tr.pgfettle("apply", tr.point(0, 1+3*len(tr.knobs)+3), tr.apply()...)
	if !hit && code != 0 {
		tr.fail("apply: exit code %d", code)
	}
	j := tr.read()
	if j == nil {
		tr.look().same(tr, tr.begin, "killed before there was a journal, and a file has changed")
		if code, _ := tr.pgfettle("undo", never, tr.undo(true)...); code != 1 {
			tr.fail("undo where nothing was applied: exit code %d", code)
		}
		tr.values(before)
		return
	}
	if hit {
		tr.found()
	}
	tr.disturb()

	for killable := 3; ; killable-- {
		if j = tr.read(); tr.over(j) {
			break
		}
		if j.State == journal.Whole && tr.edits == nil {
			tr.values(after)
		}
		at := never
		if lines := tr.count(); killable > 0 && tr.rng.IntN(2) == 0 {
			at = tr.point(lines, 2*len(tr.knobs)+3)
		}
		what, args := tr.way(j)
		code, hit := tr.pgfettle(what, at, args...)
		// 6: what others have changed is neither done nor undone, or the server that was stopped for a restart is down
		// and must not be started by this undo
		left := tr.read()
		down := what == "undo" && !slices.Contains(args, "restart") &&
			slices.ContainsFunc(left.Pending, func(p journal.Pending) bool { return left.Restarting(p.Instance) })
		if !hit && code != 0 && !((tr.edits != nil || down) && code == 6) {
			tr.fail("%s: exit code %d", what, code)
		}
		if hit {
			tr.found()
		}
		if killable < -5 {
			tr.fail("it does not come to an end")
		}
	}
	tr.undone()
}

// over reports whether an undo has nothing left to do. If the apply was killed before it began a change, and others
// have set that knob since, undo says that it is not what was planned from, as lines may be lost at a journal's end,
// and leaves it.
func (tr *trial) over(j *journal.Journal) bool {
	others := func(c journal.Change) bool {
		_, set := tr.edits[c.Address.Name()]
		return c.Left != "" && !set
	}
	return len(j.Pending) == 0 &&
		(j.State == journal.TakenBack || j.Undone() && !slices.ContainsFunc(j.Changes, others))
}

// way is how a person goes on: with an apply that was interrupted either way,
// with one that is whole only back. An undo that may not restart the server
// leaves it to another one.
func (tr *trial) way(j *journal.Journal) (string, []string) {
	switch {
	case j.State == journal.Interrupted && tr.rng.IntN(2) == 0:
		return "resume", []string{"apply", "--resume", "--max-effect", "restart", "--journal", tr.journal}
	case tr.rng.IntN(4) == 0 && !j.Undoing:
		return "undo", tr.undo(false)
	}
	return "undo", tr.undo(true)
}

// undone verifies that all is as it was before the trial, except for what others have done since.
func (tr *trial) undone() {
	tr.t.Helper()
	tr.values(before)
	if left := tr.strays(); len(left) > 0 {
		tr.fail("left behind: %v", left)
	}
	if tr.edits != nil {
		tr.edits = nil
		tr.reset()
	}
	tr.look().same(tr, tr.begin, "taken back, and not byte for byte as it was")
}

// tally counts in which phase the kills hit. Trials of several versions share it.
type tally struct {
	lock   sync.Mutex
	phases map[string]map[string]int // by what was killed
}

func (s *tally) add(what, phase string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.phases[what] == nil {
		s.phases[what] = map[string]int{}
	}
	s.phases[what][phase]++
}

// outside are the phases that are not between the first line of a journal and
// its end.
var outside = map[string]bool{noJournal: true, ended: true}

func (s *tally) of(what string) (all, within int) {
	for phase, n := range s.phases[what] {
		if all += n; !outside[phase] {
			within += n
		}
	}
	return all, within
}

func (s *tally) String() string {
	var out strings.Builder
	sum := 0
	for _, what := range []string{"apply", "resume", "undo"} {
		all, within := s.of(what)
		sum += all
		fmt.Fprintf(&out, "\n%s: %d kills, %d between the first line of the journal and its end", what, all, within)
		for _, phase := range sorted(s.phases[what]) {
			fmt.Fprintf(&out, "\n  %4d %s", s.phases[what][phase], phase)
		}
	}
	return fmt.Sprintf("%d kills%s", sum, out.String())
}

// A point is where a process is killed: some time after its start, or after the
// journal has grown to so many lines.
type point struct {
	lines int           // 0: count from the start
	share float64       // of the time that its part of the run usually takes
	after time.Duration // 0: by the share
}

// never is the point of a process that comes to its end.
var never = point{lines: -1}

// point draws one: over the whole run, over the time since the journal's first
// new line, or behind one of the lines that are to come. The journal has some
// already.
func (tr *trial) point(have, more int) point {
	share := tr.rng.Float64()
	switch n := tr.rng.IntN(10); {
	case n < 1:
		return point{after: time.Duration(share * float64(tr.gaps.whole))}
	case n < 5:
		return point{lines: have + 1, after: time.Duration(share * float64(tr.gaps.work))}
	}
	if tr.rng.IntN(2) == 0 {
		share = 0 // at once, before the step that the line announces
	}
	return point{lines: have + 1 + tr.rng.IntN(more), share: share}
}
