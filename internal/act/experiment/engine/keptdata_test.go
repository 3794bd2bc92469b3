package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// next forgets the documents: another experiment begins.
func (w *toy) next() { w.dir, w.log = map[string][]byte{}, nil }

// onlyData verifies that of an experiment nothing but the loaded cluster is left.
func onlyData(t *testing.T, w *toy) {
	t.Helper()
	if left := slices.Sorted(maps.Keys(w.disk)); !slices.Equal(left, []string{"master", masterName}) ||
		w.disk["master"] != "cluster loaded" || w.dirty["master"] {
		t.Errorf("left are %v; the cluster is %q, not stopped: %v", left, w.disk["master"], w.dirty["master"])
	}
	if len(w.running)+len(w.folders) > 0 || w.claimed || w.values[poolName] != "3" {
		t.Errorf("%d servers, folders %v, claimed %v, kernel %v", len(w.running), w.folders, w.claimed, w.values)
	}
}

func (w *toy) loads() int {
	return len(slices.DeleteFunc(slices.Clone(w.log), func(s string) bool { return s != "fill" }))
}

// TestKeepData leaves the loaded cluster to the next experiment with the same
// data, whatever its design, and to no other.
func TestKeepData(t *testing.T) {
	for i := range manners {
		for k := range manners {
			w := newToy()
			e := w.manner(i)
			e.KeepData = true
			var kept []experiment.Event
			e.Progress = func(ev experiment.Event) {
				if ev.Step == "kept" {
					kept = append(kept, ev)
				}
			}
			if _, err := w.run(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			onlyData(t, w)
			if len(kept) != 1 || kept[0].Kept != "/scratch/master" || kept[0].Done != 56<<20 {
				t.Errorf("%s: told %+v", name(i), kept)
			}
			w.next()
			r, err := w.run(t.Context(), w.manner(k))
			if err != nil {
				t.Fatalf("%s after %s: %v", name(k), name(i), err)
			}
			if w.loads() != 0 || len(r.Blocks) != 6 || r.Workload.Bytes != 16<<20 {
				t.Errorf("%s after %s: loaded %d times, %d blocks, %d bytes", name(k), name(i), w.loads(),
					len(r.Blocks), r.Workload.Bytes)
			}
			clean(t, w) // the last one did not ask for it
		}
	}
	for what, change := range map[string]func(e *Order){
		"data":  func(e *Order) { e.Load.(*toyLoad).words = "other" },
		"scale": func(e *Order) { e.Scale++ },
		"major": func(e *Order) { e.Binaries.Version = 180000 },
	} {
		w := newToy()
		e := w.manner(0)
		e.KeepData = true
		if _, err := w.run(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		w.next()
		e = w.manner(0)
		change(e)
		if _, err := w.run(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if w.loads() != 1 {
			t.Errorf("other %s: loaded %d times", what, w.loads())
		}
		clean(t, w)
	}
}

// TestKeepDataKilled kills an experiment that is to leave its data before and
// after each thing that it does; what comes next finds a cluster that was stopped,
// or loads one.
func TestKeepDataKilled(t *testing.T) {
	for _, i := range []int{0, 1, 4} {
		keeping := func(w *toy) *Order {
			e := w.manner(i)
			e.Spec.Blocks, e.Spec.Duration, e.KeepData = 2, 6, true
			return e
		}
		whole := newToy()
		if _, err := whole.run(t.Context(), keeping(whole)); err != nil {
			t.Fatal(err)
		}
		for at := 1; at <= whole.steps; at++ {
			for _, broken := range []bool{false, true} {
				w := newToy()
				w.dies, w.after, w.broken = at, broken, broken
				if _, err := w.run(t.Context(), keeping(w)); err == nil {
					t.Fatalf("step %d: killed, and no error", at)
				}
				w.revive()
				w.next()
				e := keeping(w)
				e.Design = experiment.DesignSlices // whose configurations are copies
				e.Restore = ""
				if _, err := w.run(t.Context(), e); err != nil {
					t.Fatalf("%s, killed at step %d, starts again: %v: %v", name(i), at, !broken, err)
				}
				onlyData(t, w)
				if t.Failed() {
					t.Fatalf("%s, killed at step %d, starts again: %v", name(i), at, !broken)
				}
			}
		}
	}
}

// TestKeepDataUnsafe verifies that a cluster on which a server ran without fsync is not taken for whole by anybody:
// copies of it, which were run on, do no harm.
func TestKeepDataUnsafe(t *testing.T) {
	for i, stays := range map[int]bool{0: true, 1: false} {
		for _, c := range []string{"fsync", "Full_Page_Writes"} {
			w := newToy()
			e := w.manner(i)
			e.KeepData = true
			e.A.Settings = map[string]string{c: "of"}
			if _, err := w.run(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			if stays {
				onlyData(t, w)
			} else {
				clean(t, w)
			}
		}
	}
}

// TestKeepDataInterrupted keeps them when the load breaks too, but not when it
// breaks before they are whole.
func TestKeepDataInterrupted(t *testing.T) {
	w := newToy()
	e := w.manner(1)
	e.KeepData = true
	n := 0
	w.fail = func(loadgen.Drive) error {
		if n++; n == 9 {
			return errDead
		}
		return nil
	}
	if _, err := w.run(t.Context(), e); err == nil {
		t.Fatal("no error")
	}
	onlyData(t, w)
	w.fail = nil
	if r, err := w.run(t.Context(), e); err != nil || len(r.Blocks) != 6 ||
		strings.Count(strings.Join(w.log, "\n"), "fill") != 1 {
		t.Errorf("resumed: %d blocks, %v", len(r.Blocks), err)
	}
	onlyData(t, w)

	w = newToy()
	e = w.manner(0)
	e.KeepData = true
	w.refuse = "8MB"
	if _, err := w.run(t.Context(), e); err == nil {
		t.Fatal("no error")
	}
	onlyData(t, w) // loaded, and then the settings were refused
}
