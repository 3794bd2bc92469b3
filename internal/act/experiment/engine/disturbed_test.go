package engine

import (
	"testing"
	"time"

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
	if r.Word != stat.Unsuitable || len(r.Blocks) != extra(6)+1 || r.Ended == "" || len(r.Notes) != 1 {
		t.Errorf("%d blocks on a busy machine: %s, %v", len(r.Blocks), r.Word, r.Notes)
	}
	clean(t, w)
}

// TestWarmsUpAgain: while the hypervisor takes too much the warm-up is made again,
// each time with another seed and a few times at the most; the run after it counts
// if it was left alone itself.
func TestWarmsUpAgain(t *testing.T) {
	for stolen, wanted := range map[int]int{0: 1, 2: 3, 3: 4} {
		w := newToy()
		w.steal = func(drive int) float64 {
			if drive <= stolen {
				return 0.03 // 1.5 %: a run would not be discarded yet
			}
			return 0.018
		}
		r, err := w.run(t.Context(), w.manner(0))
		if err != nil {
			t.Fatal(err)
		}
		warm, seeds := 0, map[uint64]bool{}
		for warm = 0; !w.drives[warm].Logged; warm++ {
			seeds[w.drives[warm].Seed] = true
		}
		if warm != wanted || len(seeds) != warm || r.Discarded != 0 || !r.Blocks[0].Runs[0].Steady {
			t.Errorf("stolen from %d warm-ups: %d of them, %d seeds, %d blocks discarded", stolen, warm, len(seeds),
				r.Discarded)
		}
		clean(t, w)
	}
	w := newToy()
	w.steal = func(int) float64 { return 1 }
	r, err := w.run(t.Context(), w.manner(0))
	if err != nil {
		t.Fatal(err)
	}
	if r.Word != stat.Unsuitable || w.drives[mostWarm-1].Logged || !w.drives[mostWarm].Logged {
		t.Errorf("always stolen from: %s", r.Word)
	}
	clean(t, w)
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
