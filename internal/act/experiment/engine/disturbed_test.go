package engine

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// TestDiscardedBlocks makes the machine busy now and then: such blocks are discarded, whatever
// their configurations, and are run again; where there are too many, the experiment stops.
func TestDiscardedBlocks(t *testing.T) {
	w := newToy()
	w.busy = func(drive int, _ string) float64 {
		if drive >= 1 && drive <= 3 { // in the first block
			return 1
		}
		return 0
	}
	r, err := w.run(t.Context(), w.manner(0))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Blocks) != 7 || len(r.Blocks[0].Discarded) == 0 || r.N != 6 || r.Discarded != 1 ||
		r.Word != stat.Improved {
		t.Errorf("%d blocks, %d count, %d discarded, first discarded for %v: %s", len(r.Blocks), r.N, r.Discarded,
			r.Blocks[0].Discarded, r.Word)
	}
	clean(t, w)

	w = newToy()
	w.busy = func(int, string) float64 { return 1 }
	r, err = w.run(t.Context(), w.manner(3))
	if err != nil {
		t.Fatal(err)
	}
	if r.Word != stat.Improved || len(r.Blocks) != 6 || r.Discarded != 0 || !r.Busy {
		t.Errorf("%d blocks on a busy machine, %d discarded, busy %v: %s", len(r.Blocks), r.Discarded, r.Busy, r.Word)
	}
	clean(t, w)
}

// TestBrokenBlocks verifies that an experiment whose transactions fail stops after a third more than nothing.
func TestBrokenBlocks(t *testing.T) {
	w := newToy()
	w.refused = 1
	r, err := w.run(t.Context(), w.manner(3))
	if err != nil {
		t.Fatal(err)
	}
	if r.Word != stat.Unsuitable || len(r.Blocks) != extra(6)+1 || r.Ended == "" || len(r.Notes) != 1 {
		t.Errorf("%d blocks: %s, %v", len(r.Blocks), r.Word, r.Notes)
	}
	clean(t, w)
}

// TestSequential verifies that an experiment that may be judged while it runs ends at the first look that decides, and
// at none before.
func TestSequential(t *testing.T) {
	for _, c := range []struct {
		deviation float64
		blocks    int
		word      stat.Word
	}{{0.01, 8, stat.Improved}, {0.2, 16, stat.Improved}, {0.9, 24, stat.Inconclusive}} {
		w := newToy()
		w.rate = func(d loadgen.Drive, b bool) float64 {
			if b { // of the two runs of a block the second draws the same numbers
				return 1100 * math.Exp(c.deviation*(float64(d.Seed%1000)/500-1))
			}
			return 1000
		}
		e := w.manner(1)
		e.Spec.Blocks, e.Spec.Sequential = 24, true
		r, err := w.run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if r.N != c.blocks || r.Word != c.word || r.Verdict.Level != stat.SequentialLevel {
			t.Errorf("deviation %v: %d blocks count, %s at %v", c.deviation, r.N, r.Word, r.Verdict.Level)
		}
		clean(t, w)
	}
}

// TestMoreBlocks adds blocks to an experiment that did not decide: twice, at the level of a further look, and with the
// blocks that one of that many would have had. One that decided gets none.
func TestMoreBlocks(t *testing.T) {
	noisy := func(w *toy) *Order {
		w.rate = func(d loadgen.Drive, b bool) float64 {
			if b {
				return 1000 * math.Exp(0.2*(float64(d.Seed%1000)/500-1))
			}
			return 1000
		}
		return w.manner(1)
	}
	w := newToy()
	r, err := w.run(t.Context(), noisy(w))
	if err != nil || r.Word != stat.Inconclusive {
		t.Fatalf("%s, %v", r.Word, err)
	}
	if o, ok := r.Offer(); !ok || o.Blocks < 1 || o.Level != stat.ExtendedLevel || float64(o.Finds) >= float64(r.MDE) {
		t.Errorf("offered: %+v, %v", o, ok)
	}
	for n := 1; n <= experiment.MostExtended+1; n++ {
		st, err := readStored(toyShelf{w})
		if err != nil {
			t.Fatal(err)
		}
		st, err = extend(toyShelf{w}, st, 4)
		if n > experiment.MostExtended {
			if err == nil || !strings.Contains(err.Error(), "times already") {
				t.Errorf("extended again: %v", err)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e := noisy(w)
		e.Spec = st.Spec
		if r, err = w.run(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if r.N != 6+4*n || r.Spec.Extended != n || r.Verdict.Level != stat.ExtendedLevel || r.Ended == "" {
			t.Errorf("%d blocks count, extended %d times, level %v, ended %q", r.N, r.Spec.Extended, r.Verdict.Level,
				r.Ended)
		}
		clean(t, w)
	}
	once := newToy()
	e := noisy(once)
	e.Spec.Blocks = r.N
	whole, err := once.run(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Effect != r.Effect || whole.Verdict.Level == r.Verdict.Level {
		t.Errorf("in one go %v at %v, with blocks added %v at %v", whole.Effect, whole.Verdict.Level, r.Effect,
			r.Verdict.Level)
	}

	w = newToy()
	if _, err := w.run(t.Context(), w.manner(1)); err != nil {
		t.Fatal(err)
	}
	st, err := readStored(toyShelf{w})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := extend(toyShelf{w}, st, 4); err == nil || !strings.Contains(err.Error(), "has its verdict") {
		t.Errorf("more blocks for a verdict: %v", err)
	}
}

// TestWarmsUpAgain: while the hypervisor takes more than usual here the warm-up is made again, each time with another
// seed and a few times at the most. Before the first run it is not known what is usual: once more has to do.
func TestWarmsUpAgain(t *testing.T) {
	for name, c := range map[string]struct {
		steal func(drive int) float64 // of two seconds
		first int                     // warm-ups before the first run
		later int                     // before the third
	}{
		"never":           {func(int) float64 { return 0 }, 1, 1},
		"always":          {func(int) float64 { return 0.1 }, 2, 1},
		"before the rest": {func(drive int) float64 { return 0.1 * float64(drive%3) }, 2, 4},
	} {
		w := newToy()
		w.steal = c.steal
		r, err := w.run(t.Context(), w.manner(0))
		if err != nil {
			t.Fatal(err)
		}
		var warm []int // before each run
		seeds := map[uint64]bool{}
		n := 0
		for _, d := range w.drives {
			switch {
			case d.Logged:
				warm, n = append(warm, n), 0
			case d.Transactions == 0:
				n++
				seeds[d.Seed] = true
			}
		}
		if warm[0] != c.first || warm[2] > c.later || name != "before the rest" && warm[2] != c.later {
			t.Errorf("%s: %v warm-ups before runs", name, warm)
		}
		if !r.Blocks[0].Runs[0].Steady {
			t.Errorf("%s: not steady", name)
		}
		clean(t, w)
	}
}

// TestWaitsForCalibration: a machine that is slow before a run is waited for, half a
// minute at the most; what is slow then is discarded.
func TestWaitsForCalibration(t *testing.T) {
	for slow, want := range map[int]struct{ pauses, discarded int }{0: {}, 3: {3, 0}, 5: {5, 0}, 6: {5, 1}} {
		w := newToy()
		w.slow = func(calibrate int) time.Duration { // the first one is the measure
			if calibrate > 1 && calibrate <= 1+slow {
				return 240 * time.Millisecond // 1.2 times as long
			}
			return 200 * time.Millisecond
		}
		r, err := w.run(t.Context(), w.manner(0))
		if err != nil {
			t.Fatal(err)
		}
		pauses := 0
		for _, step := range w.log {
			if step == "pause" {
				pauses++
			}
		}
		if pauses != want.pauses || r.Discarded != want.discarded || r.Word != stat.Improved {
			t.Errorf("slow for %d calibrations: %d pauses, %d blocks discarded, %s", slow, pauses, r.Discarded, r.Word)
		}
		clean(t, w)
	}
}
