package experiments

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/test/tier"
)

// orderOf is a short one, of two blocks of two seconds. Its load is far from all that the
// machine could do, which other tests need as well.
func orderOf(t *testing.T, b scratch.Binaries, load, design string) *engine.Order {
	t.Helper()
	return orderIn(t, b, load, design, open(t))
}

func orderIn(t *testing.T, b scratch.Binaries, load, design, dir string) *engine.Order {
	t.Helper()
	p, err := workload.FindPgbench(t.Context(), b.Version)
	if err != nil {
		tier.Missing(t, tier.Servers, "%v", err)
	}
	w, err := workload.Find(load)
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Order{
		Experiment: experiment.Experiment{
			A: experiment.Configuration{Name: "default"},
			B: experiment.Configuration{Name: "default+pg:work_mem=8MB",
				Settings: map[string]string{"work_mem": "8MB", "random_page_cost": "1.1", "wal_compression": "on"}},
			Design: design, Metric: "tps", Scale: 1,
			Spec: experiment.Spec{Blocks: 2, Clients: 2, Jobs: 1, Duration: 2, Warmup: 1, Slice: 1, Count: 50,
				Rate: 100, Seed: 7, Cache: "warm", Protocol: "prepared", Margin: 2},
			Dir:     filepath.Join(dir, "docs"),
			Scratch: filepath.Join(dir, "scratch"),
			Host: experiment.Host{Kernel: "here", CPUs: 2, Memory: 1 << 30, Server: b.Version.String(),
				Pgbench: p.Version.String()},
		},
		Binaries: b, Load: &loadgen.Pgbench{Workload: w, Program: p},
		// What is measured is not what is tested: on a busy machine each run would wait up to
		// 25 s for a calm one. TestWaitsForCalibration waits, in virtual time.
		MostCalibrations: 1, CalibrationBytes: 8 << 20,
	}
}

// open is a directory of the test that the account of the servers may pass through, which that of t.TempDir is not. It
// is in memory where there is room for it (tools/tmpdir.sh): an experiment copies its cluster before each run, which on
// a disk was a third of the work of these tests. None of them asks how fast a disk is.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(cmp.Or(os.Getenv("PGFETTLE_TEST_TMPDIR"), "/var/tmp"), "pgfettle-experiment-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// nothingLeft verifies that of an experiment neither a directory nor a process is there.
func nothingLeft(t *testing.T, e *engine.Order) {
	t.Helper()
	if _, err := os.Lstat(e.Scratch); !errors.Is(err, os.ErrNotExist) {
		left, _ := filepath.Glob(e.Scratch + "/*")
		t.Errorf("the scratch folder is left, with %v", left)
	}
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if b, err := os.ReadFile(name); err == nil && strings.Contains(string(b), e.Scratch) {
			t.Errorf("a process is left: %s: %q", name, b)
		}
	}
}

// whole verifies that every run of a document has what it has to have.
func whole(t *testing.T, e *engine.Order, r *experiment.Result) {
	t.Helper()
	if r.Ended == "" || len(r.Blocks) < e.Spec.Blocks {
		t.Fatalf("%d blocks, ended %q", len(r.Blocks), r.Ended)
	}
	configs := "AB"
	if e.Design == experiment.DesignSingle {
		configs = "A"
	}
	for _, b := range r.Blocks {
		if len(b.Runs) != len(configs) || len(b.Order) != len(configs) {
			t.Fatalf("block %d: order %s, %d runs", b.Number, b.Order, len(b.Runs))
		}
		for i, run := range b.Runs {
			if run.Config != b.Order[i:i+1] || run.Transactions <= 0 || run.TPS <= 0 || run.Seconds < 1 ||
				run.Failed > 0 || len(run.Errors) > 0 {
				t.Errorf("block %d: run %+v", b.Number, run)
			}
			if !run.Latency.Mean.Known() || !run.Latency.P99.Known() || run.Latency.P99 < run.Latency.P50 ||
				run.Latency.Max < run.Latency.P99 {
				t.Errorf("block %d: latency %+v", b.Number, run.Latency)
			}
			env := run.Environment
			if !env.Steal.Known() || !env.Foreign.Known() || env.CalibrationCPU <= 0 || env.CalibrationSync <= 0 {
				t.Errorf("block %d: environment %+v", b.Number, env)
			}
			if e.Spec.Count > 0 && run.Counters[experiment.Counted] != float64(e.Spec.Count*e.Spec.Clients) {
				t.Errorf("block %d: %v transactions were counted, not %d", b.Number, run.Counters[experiment.Counted],
					e.Spec.Count*e.Spec.Clients)
			}
			for _, name := range []string{experiment.ServerCPU, experiment.BlocksHit, experiment.PageTables} {
				if run.Counters[name] <= 0 {
					t.Errorf("block %d, configuration %s: counter %s is %v", b.Number, run.Config,
						name, run.Counters[name])
				}
			}
			if e.Load.Describe(1).Writes && run.Counters[experiment.WALBytes] <= 0 {
				t.Errorf("block %d: no WAL from a load that writes", b.Number)
			}
		}
	}
	if r.A.Hash == "" || len(configs) > 1 && (r.B.Hash == "" || r.A.Hash == r.B.Hash) {
		t.Errorf("hashes of the settings: A %q, B %q", r.A.Hash, r.B.Hash)
	}
	if r.Workload.Bytes <= 0 || r.Workload.Command == "" {
		t.Errorf("workload %+v", r.Workload)
	}
	b, err := os.ReadFile(filepath.Join(e.Dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.DecodeResult(b); err != nil {
		t.Errorf("the kept document: %v", err)
	}
	lines, err := os.ReadFile(filepath.Join(e.Dir, "runs.jsonl"))
	if n := strings.Count(string(lines), "\n"); err != nil || n != len(r.Blocks)*len(configs) {
		t.Errorf("%d raw runs of %d blocks, %v", n, len(r.Blocks), err)
	}
}

// TestExperiments runs a short experiment of each design on a server with and one
// without the newer counters.
func TestExperiments(t *testing.T) {
	on(t, []int{15, 18}, func(t *testing.T, b scratch.Binaries) {
		t.Parallel()
		type manner struct {
			design, load string
			full         bool // as fast as it goes
		}
		// Each design and each way to restore data once; what depends on the version is
		// in the counters, which every version is asked for below.
		for _, c := range map[int][]manner{
			15: {{experiment.DesignRestart, "tpcb", true}, {experiment.DesignSlices, "select-only", false}},
			18: {{experiment.DesignRestart, "select-only", false}, {experiment.DesignSlices, "tpcb", false},
				{experiment.DesignSingle, "select-only", true}},
		}[b.Version.Major()] {
			t.Run(c.design+" "+c.load, func(t *testing.T) {
				t.Parallel() // they mostly wait, and nothing in them is judged by its speed
				e := orderOf(t, b, c.load, c.design)
				if c.full {
					e.Spec.Rate = 0
				}
				var steps []string
				e.Progress = func(ev experiment.Event) { steps = append(steps, ev.Step) }
				r, err := engine.Run(t.Context(), e)
				if err != nil {
					t.Fatal(err)
				}
				whole(t, e, r)
				nothingLeft(t, e)
				for _, want := range []string{"load", "start", "warm-up", "calibration", "measure",
					"checkpoint", "count",
					"stop", "clean"} {
					if !slices.Contains(steps, want) {
						t.Errorf("nothing was told of the step %s", want)
					}
				}
				_, err = engine.Run(t.Context(), e)
				wantProblem(t, err, say.CodeUsage, "already")
				again, err := engine.Resume(t.Context(), e)
				if err != nil || again.Ended != r.Ended {
					t.Errorf("to resume what is finished: %v", err)
				}
			})
		}
	})
}

// TestExperimentCounters runs one short run on every version: what it counts and
// that it does is asked with statements of the version's own.
func TestExperimentCounters(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		t.Parallel()
		e := orderOf(t, b, "simple-update", experiment.DesignSingle)
		e.Spec.Blocks, e.Spec.Duration, e.Spec.Warmup = 1, 1, 0
		r, err := engine.Run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		run := r.Blocks[0].Run("A")
		want := []string{experiment.WALBytes, experiment.FullPages, experiment.BlocksHit, experiment.BlocksRead,
			experiment.BlocksWrite, experiment.TempBytes, experiment.Counted, experiment.ServerCPU,
			experiment.ClientCPU, experiment.PageTables}
		if b.Version.Major() < 14 {
			// not counted there: absent, not 0
			want = slices.DeleteFunc(want, func(s string) bool { return s == experiment.FullPages })
		}
		for _, name := range want {
			if _, ok := run.Counters[name]; !ok {
				t.Errorf("no counter %s", name)
			}
		}
		if len(run.Counters) != len(want) {
			t.Errorf("counters %v", run.Counters)
		}
		// A hundred updates of a row each, with their history: a record of WAL each, and
		// the first ones after a checkpoint with the whole page.
		if tx := run.Counters[experiment.Counted]; run.Counters[experiment.WALBytes] < 100*tx ||
			run.Counters[experiment.WALBytes] > 40000*tx {
			t.Errorf("%v bytes of WAL in %v transactions", run.Counters[experiment.WALBytes], tx)
		}
		if run.Environment.Checkpoint != 0 || run.Checkpoint <= 0 {
			t.Errorf("%d checkpoints in a second; the one after it took %v s", run.Environment.Checkpoint,
				run.Checkpoint)
		}
		nothingLeft(t, e)
	})
}

// TestExperimentKeepsData runs two experiments on one loading: the first runs
// directly on the loaded cluster, the second on copies of it.
func TestExperimentKeepsData(t *testing.T) {
	on(t, []int{15}, func(t *testing.T, b scratch.Binaries) {
		dir := open(t)
		first := orderIn(t, b, "select-only", experiment.DesignRestart, dir)
		first.KeepData = true
		var kept experiment.Event
		first.Progress = func(ev experiment.Event) {
			if ev.Step == "kept" {
				kept = ev
			}
		}
		if _, err := engine.Run(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(first.Scratch)
		var names []string
		for _, d := range left {
			names = append(names, d.Name())
		}
		if err != nil || !slices.Equal(names, []string{machine.Marker, "master", "master.json"}) {
			t.Errorf("left are %v, %v", names, err)
		}
		// Scale 1 has 15 MB of rows, in a cluster of about 40 MB and its WAL.
		if kept.Kept != filepath.Join(first.Scratch, "master") || kept.Done < 40<<20 || kept.Done > 1<<30 {
			t.Errorf("told %+v", kept)
		}
		second := orderIn(t, b, "tpcb", experiment.DesignSlices, dir)
		second.Dir += "2"
		if held := engine.Loaded(second); held == nil || !held.Fits {
			t.Errorf("the data of tpcb are those of select-only: %+v", held)
		}
		other := orderIn(t, b, "olap", experiment.DesignSlices, dir)
		if held := engine.Loaded(other); held == nil || held.Fits {
			t.Errorf("the data of olap are others: %+v", held)
		}
		loaded := false
		second.Progress = func(ev experiment.Event) { loaded = loaded || ev.Step == "load" }
		r, err := engine.Run(t.Context(), second)
		if err != nil {
			t.Fatal(err)
		}
		whole(t, second, r)
		if loaded {
			t.Error("the data were loaded a second time")
		}
		nothingLeft(t, second)
	})
}

// TestExperimentCycles runs runs of a whole checkpoint cycle on the oldest and the
// newest version: they end by themselves, behind a checkpoint, with a report of
// pgbench that is whole.
func TestExperimentCycles(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		t.Parallel()
		e := orderOf(t, b, "simple-update", experiment.DesignSingle)
		// The least that it may be: a checkpoint is requested after a segment of 16 MB or two.
		e.A = experiment.Configuration{Name: "small", Settings: map[string]string{"max_wal_size": "32MB",
			"min_wal_size": "32MB", "checkpoint_timeout": "2min"}}
		e.Spec.Blocks, e.Spec.Cycles, e.Spec.Duration, e.Spec.Warmup, e.Spec.Count = 1, 1, 1, 0, 0
		e.Spec.Rate = 0 // it ends with what was written
		r, err := engine.Run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		run := r.Blocks[0].Run("A")
		// More than one is complete where they come more often than is looked; those that
		// have begun are counted before 18.
		if run.Cycles != 1 || run.Environment.Checkpoint < 1 || len(r.Blocks[0].Discarded) > 0 &&
			run.Environment.Steal < 2 && run.Environment.Foreign < 3 {
			t.Errorf("%d cycles, %d checkpoints in %g s, discarded for %v", run.Cycles, run.Environment.Checkpoint,
				run.Seconds, r.Blocks[0].Discarded)
		}
		// The end of pgbench's own time would be 300 s. A second is the least, but pgbench does not count the time in
		// which it connects: 0.999 s were seen.
		if run.Seconds >= 290 || run.Seconds < 0.9 || run.TPS <= 0 || !run.Latency.P99.Known() ||
			run.Counters[experiment.WALBytes] < 8<<20 {
			t.Errorf("%g s, %g tps, p99 %v ms, %g bytes of WAL", run.Seconds, run.TPS, run.Latency.P99,
				run.Counters[experiment.WALBytes])
		}
		t.Logf("%s: %g s, %d transactions, %d checkpoints, %g MB of WAL", b, run.Seconds, run.Transactions,
			run.Environment.Checkpoint, run.Counters[experiment.WALBytes]/1e6)
		nothingLeft(t, e)
	})
}

// TestExperimentKept runs a load that writes on one copy a configuration: two copies in all, where separate blocks
// would take four.
func TestExperimentKept(t *testing.T) {
	on(t, []int{15}, func(t *testing.T, b scratch.Binaries) {
		for _, design := range []string{experiment.DesignRestart, experiment.DesignSlices} {
			t.Run(design, func(t *testing.T) {
				t.Parallel()
				e := orderOf(t, b, "tpcb", design)
				e.Restore = experiment.RestoreKept
				copies, last := 0, ""
				e.Progress = func(ev experiment.Event) {
					if ev.Step == "copy" && last != "copy"+ev.Config {
						copies++
					}
					last = ev.Step + ev.Config
				}
				r, err := engine.Run(t.Context(), e)
				if err != nil {
					t.Fatal(err)
				}
				whole(t, e, r)
				if copies != 2 || r.Spec.Restore != experiment.RestoreKept {
					t.Errorf("%d copies, restored %q", copies, r.Spec.Restore)
				}
				nothingLeft(t, e)
			})
		}
	})
}

// TestExperimentSysbench runs scripts of sysbench: its rows are the same for both
// configurations, and what it reports is whole.
func TestExperimentSysbench(t *testing.T) {
	on(t, []int{15, 18}, func(t *testing.T, b scratch.Binaries) {
		t.Parallel()
		program, err := workload.FindSysbench(t.Context())
		if err != nil {
			tier.Missing(t, tier.Servers, "%v", err)
		}
		for name, design := range map[int]map[string]string{
			15: {"sysbench:oltp_read_write": experiment.DesignRestart,
				"sysbench:oltp_point_select": experiment.DesignSlices},
			18: {"sysbench:oltp_read_only": experiment.DesignSlices},
		}[b.Version.Major()] {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w, err := workload.Find(name)
				if err != nil {
					t.Fatal(err)
				}
				e := orderOf(t, b, "tpcb", design)
				e.Load = &loadgen.Sysbench{Workload: w, Program: program}
				r, err := engine.Run(t.Context(), e)
				if err != nil {
					t.Fatal(err)
				}
				whole(t, e, r)
				// The size is reported before it is loaded: ten tables of ten thousand rows.
				if want := float64(w.Size(1)); float64(r.Workload.Bytes) < want ||
					float64(r.Workload.Bytes) > 1.1*want+20<<20 {
					t.Errorf("the database has %d bytes, and %v were told", r.Workload.Bytes, w.Size(1))
				}
				t.Logf("%s: %d bytes, %+v", name, r.Workload.Bytes, r.Blocks[0].Runs[0])
				nothingLeft(t, e)
			})
		}
	})
}
