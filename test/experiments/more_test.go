package experiments

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/tier"
)

// TestTwoServers compares two major versions under one load: each has its own cluster, and nothing of either is left.
func TestTwoServers(t *testing.T) {
	found, err := live.Binaries()
	old, ok := found[13]
	if !ok {
		tier.Missing(t, tier.Servers, "PostgreSQL 13 is not to be had: %v", err)
	}
	on(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		for _, design := range []string{experiment.DesignRestart, experiment.DesignSlices} {
			t.Run(design, func(t *testing.T) {
				t.Parallel() // they mostly wait, and nothing in them is judged by its speed
				e := orderOf(t, b, "select-only", design)
				e.Second, e.B = old, experiment.Configuration{Name: "default"}
				r, err := engine.Run(t.Context(), e)
				if err != nil {
					t.Fatal(err)
				}
				if r.A.Server != b.Version.String() || r.B.Server != old.Version.String() || r.A.Hash == r.B.Hash {
					t.Errorf("A on %q, B on %q", r.A.Server, r.B.Server)
				}
				if len(r.Blocks) < 2 || r.Blocks[0].Run("B").Transactions == 0 {
					t.Errorf("%+v", r.Blocks)
				}
				// what only the newer one counts
				_, a := r.Blocks[0].Run("A").Counters[experiment.FullPages]
				if _, b := r.Blocks[0].Run("B").Counters[experiment.FullPages]; !a || b {
					t.Errorf("full-page images of A %v, of B %v", a, b)
				}
				nothingLeft(t, e)
			})
		}
	})
}

// TestMoreBlocks adds blocks to an experiment that came to no verdict, with servers that are made anew.
func TestMoreBlocks(t *testing.T) {
	on(t, []int{16}, func(t *testing.T, b scratch.Binaries) {
		e := orderOf(t, b, "select-only", experiment.DesignSlices)
		e.B.Settings = map[string]string{"deadlock_timeout": "2s"} // which no transaction meets
		e.Spec.Count = 0                                           // of two blocks, which are too few for a verdict
		e.Asked = loadgen.Asked{Data: "select-only"}
		r, err := engine.Run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		first := r.Blocks[0].LogRatio
		r, err = engine.ResumeIn(t.Context(), e.Dir, engine.Again{More: 2, MostCalibrations: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r.N+r.Discarded != len(r.Blocks) || len(r.Blocks) < 4 || r.Spec.Extended != 1 || r.Ended == "" ||
			r.Verdict.Level != stat.ExtendedLevel {
			t.Errorf("%d blocks, %d count, extended %d times, level %v", len(r.Blocks), r.N, r.Spec.Extended,
				r.Verdict.Level)
		}
		if again := r.Blocks[0].LogRatio; math.Abs(float64(again-first)) > 1e-5 && first.Known() && again.Known() {
			t.Errorf("the first block was %v, and is %v", first, again)
		}
		if _, err := engine.ResumeIn(t.Context(), filepath.Join(e.Dir, "none"), engine.Again{More: 2}); err == nil ||
			!strings.Contains(err.Error(), "nothing to continue") {
			t.Errorf("an experiment that is not there: %v", err)
		}
		if _, err := os.Stat(e.Scratch); err == nil {
			t.Error("the scratch directory is left")
		}
		nothingLeft(t, e)
	})
}
