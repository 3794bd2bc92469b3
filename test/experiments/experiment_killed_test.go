package experiments

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// victimOf marks a process as the one to be killed: the directories of its experiment.
const victimOf = "PGFETTLE_TEST_EXPERIMENT"

// killable is an experiment long enough to be killed in its second block.
func killable(t *testing.T, b scratch.Binaries, design, dir string) *engine.Order {
	e := orderIn(t, b, "tpcb", design, dir)
	e.Spec.Blocks, e.Spec.Count = 3, 0
	return e
}

// TestExperimentKilled ends an experiment with SIGKILL in the middle of a run. Its
// servers end with it; what it leaves on disk, the resumed one uses or removes, and
// it goes on behind the last whole block.
func TestExperimentKilled(t *testing.T) {
	on(t, []int{15, 18}, func(t *testing.T, b scratch.Binaries) {
		t.Parallel()
		for _, design := range map[int][]string{15: {experiment.DesignRestart},
			18: {experiment.DesignSlices}}[b.Version.Major()] {
			t.Run(design, func(t *testing.T) {
				if dir := os.Getenv(victimOf); dir != "" {
					e := killable(t, b, design, dir)
					e.Progress = func(ev experiment.Event) { fmt.Println("event", ev.Step, ev.Block) }
					_, err := engine.Run(t.Context(), e)
					t.Fatalf("not killed: %v", err)
				}
				dir := open(t)
				cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
				cmd.Env = append(os.Environ(), victimOf+"="+dir)
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				seen, said := false, ""
				for s := bufio.NewScanner(out); !seen && s.Scan(); {
					said += s.Text() + "\n"
					seen = s.Text() == "event measure 2"
				}
				if err := cmd.Process.Kill(); err != nil {
					t.Error(err)
				}
				_ = cmd.Wait() // it was killed
				if !seen {
					t.Fatalf("it ended before:\n%s", said)
				}
				e := killable(t, b, design, dir)
				if _, err := os.Stat(filepath.Join(e.Scratch, machine.Marker)); err != nil {
					t.Errorf("a scratch folder in the middle of a run: %v", err)
				}
				before := document(t, e)
				if len(before.Blocks) != 1 {
					t.Fatalf("%d blocks were whole", len(before.Blocks))
				}
				loaded := false
				e.Progress = func(ev experiment.Event) { loaded = loaded || ev.Step == "load" }
				r, err := engine.Resume(t.Context(), e)
				if err != nil {
					t.Fatal(err)
				}
				if loaded {
					t.Error("the data were loaded a second time")
				}
				// On a busy machine blocks are discarded, and it stops before the third.
				if len(r.Blocks) < 3 && r.Word != stat.Unsuitable || len(r.Blocks) < 2 || r.Ended == "" ||
					r.Started != before.Started || !same(t, r.Blocks[0].Runs, before.Blocks[0].Runs) {
					t.Errorf("resumed: %d blocks, ended %q; the first block is the former one: %v", len(r.Blocks),
						r.Ended, same(t, r.Blocks[0].Runs, before.Blocks[0].Runs))
				}
				nothingLeft(t, e)
			})
		}
	})
}

func document(t *testing.T, e *engine.Order) *experiment.Result {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(e.Dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := experiment.DecodeResult(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func same(t *testing.T, a, b any) bool {
	t.Helper()
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return bytes.Equal(x, y)
}

// TestExperimentInterrupted cancels one in the middle, as Ctrl-C does: it leaves
// nothing at all, and can be resumed.
func TestExperimentInterrupted(t *testing.T) {
	on(t, []int{18}, func(t *testing.T, b scratch.Binaries) {
		e := orderOf(t, b, "select-only", experiment.DesignSlices)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		e.Progress = func(ev experiment.Event) {
			if ev.Step == "measure" && ev.Block == 2 {
				cancel()
			}
		}
		r, err := engine.Run(ctx, e)
		if err == nil || r == nil || r.Ended != "" || len(r.Blocks) != 1 {
			t.Fatalf("interrupted: %v", err)
		}
		nothingLeft(t, e)
		e.Progress = nil
		if r, err = engine.Resume(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		whole(t, e, r)
		nothingLeft(t, e)
	})
}

// TestPlantedEffect plants a difference and holds that it is found, with its sign
// and in the counters. How large it is in time is the machine's affair.
func TestPlantedEffect(t *testing.T) {
	on(t, []int{15}, func(t *testing.T, b scratch.Binaries) {
		// Without its index a look-up reads the whole table: 1640 pages, a hundred times
		// as long as by the index.
		e := orderOf(t, b, "select-only", experiment.DesignSlices)
		e.B = experiment.Configuration{Name: "no index", Settings: map[string]string{"enable_indexscan": "off",
			"enable_bitmapscan": "off", "enable_indexonlyscan": "off", "max_parallel_workers_per_gather": "0"}}
		e.Spec.Blocks, e.Spec.Slice, e.Spec.Duration = stat.FewestBlocks, 1, 1
		e.Spec.Clients, e.Spec.Rate = 1, 0
		r, err := engine.Run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		// Of all blocks together: in one whose second was taken by others, what the server itself reads weighs more
		// than a few look-ups.
		var tps, pages [2]float64
		for i, name := range []string{"A", "B"} {
			hit, counted := 0.0, 0.0
			for _, blk := range r.Blocks {
				run := blk.Run(name)
				tps[i] += run.TPS
				hit, counted = hit+run.Counters[experiment.BlocksHit], counted+run.Counters[experiment.Counted]
			}
			pages[i] = hit / counted
		}
		if tps[1] >= tps[0] {
			t.Errorf("%v with the index, %v without", tps[0], tps[1])
		}
		if !(pages[0] < 100 && pages[1] > 1000) {
			t.Errorf("%v pages a transaction with the index, %v without", pages[0], pages[1])
		}
		if r.Word == stat.Improved || r.Effect.Known() && r.Effect >= 0 {
			t.Errorf("verdict %s, effect %v %%", r.Word, r.Effect)
		}
		nothingLeft(t, e)

		// A commit that does not wait for the flush of its WAL. The flush is made to take 20 ms at
		// least, so that a disk that takes none, or a machine that has no time, shows the same.
		e = orderOf(t, b, "simple-update", experiment.DesignSlices)
		slow := map[string]string{"commit_delay": "20000", "commit_siblings": "0"}
		e.A = experiment.Configuration{Name: "slow flushes", Settings: slow}
		e.B = experiment.Configuration{Name: "slow flushes, synchronous_commit off", Settings: maps.Clone(slow)}
		e.B.Settings["synchronous_commit"] = "off"
		e.Spec.Blocks, e.Spec.Clients, e.Spec.Duration, e.Spec.Rate = 2, 1, 2, 0 // each block is asked; no verdict is
		if r, err = engine.Run(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if len(r.Blocks) == 0 {
			t.Error("no block")
		}
		waiting, without := 0.0, 0.0
		for _, blk := range r.Blocks {
			a, b := blk.Run("A"), blk.Run("B")
			if a.TPS > 60 { // one client, 20 ms a commit: 50, and what the ends of a slice add
				t.Errorf("block %d: %v waiting for flushes, %v without", blk.Number, a.TPS, b.TPS)
			}
			waiting, without = waiting+a.TPS, without+b.TPS
		}
		if without <= waiting {
			t.Errorf("%v waiting for flushes, %v without", waiting, without)
		}
		nothingLeft(t, e)
	})
}

// TestScratchRefused verifies that nothing of others is taken for a scratch directory.
func TestScratchRefused(t *testing.T) {
	on(t, []int{18}, func(t *testing.T, b scratch.Binaries) {
		live := start(t, b, nil)
		e := orderOf(t, b, "select-only", experiment.DesignSingle)
		for _, dir := range []string{live.DataDir, live.DataDir + "/base", live.DataDir + "/new"} {
			e.Scratch = dir
			e.Guard = machine.Guard{DataDirs: []string{live.DataDir}}
			_, err := engine.Run(t.Context(), e)
			wantProblem(t, err, 5, "data directory")
		}
		e.Guard = machine.Guard{}
		e.Scratch = live.DataDir // also where it was not reported
		_, err := engine.Run(t.Context(), e)
		wantProblem(t, err, 5, "data directory")
		if !live.Running() {
			t.Error("the server is gone")
		}
		if _, err := os.Stat(filepath.Join(live.DataDir, machine.Marker)); err == nil {
			t.Error("a marker in a data directory")
		}
	})
}

// TestExperimentLoadFails runs a script of a person that fails after a while: the
// experiment ends with the words of pgbench and leaves nothing.
func TestExperimentLoadFails(t *testing.T) {
	on(t, []int{15, 18}, func(t *testing.T, b scratch.Binaries) {
		t.Parallel()
		e := orderOf(t, b, "select-only", experiment.DesignRestart)
		script := filepath.Join(filepath.Dir(e.Dir), "fails.sql")
		if err := os.WriteFile(script,
			[]byte("\\set n random(1, 200)\nselect abalance / (:n - 1) from pgbench_accounts where aid = :n;\n"),
			0o644); err != nil {
			t.Fatal(err)
		}
		w, err := workload.Custom([]string{script})
		if err != nil {
			t.Fatal(err)
		}
		load := e.Load.(*loadgen.Pgbench)
		load.Workload, load.On = w, load.Workload
		_, err = engine.Run(t.Context(), e)
		wantProblem(t, err, 1, "division by zero")
		nothingLeft(t, e)
	})
}
