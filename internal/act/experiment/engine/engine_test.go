package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

func (w *toy) run(ctx context.Context, e *Order) (*experiment.Result, error) {
	_, err := toyShelf{w}.read(planName)
	return execute(ctx, e, w, toyShelf{w}, "program", !errors.Is(err, fs.ErrNotExist))
}

var manners = []struct {
	design  string
	writes  bool
	restore string
	servers int
}{
	{experiment.DesignRestart, true, "", 1}, {experiment.DesignRestart, false, "", 1},
	{experiment.DesignRestart, true, experiment.RestoreKept, 1},
	{experiment.DesignSlices, true, "", 2}, {experiment.DesignSlices, false, "", 2},
	{experiment.DesignSingle, true, "", 1},
}

// second are the programs of a second server.
var second = scratch.Binaries{Dir: "/second", Version: 180000}

// TestTwoServers verifies that a configuration on another server has a cluster of its own, in every design.
func TestTwoServers(t *testing.T) {
	for i := range manners {
		w := newToy()
		e := w.manner(i)
		e.Second = second
		r, err := w.run(t.Context(), e)
		if e.Design == experiment.DesignSingle {
			if err == nil {
				t.Error("a second server for one configuration")
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name(i), err)
		}
		if r.A.Server == "" || r.B.Server != second.Version.String() || r.Word != stat.Improved {
			t.Errorf("%s: servers %q and %q, %s", name(i), r.A.Server, r.B.Server, r.Word)
		}
		for _, made := range []string{"initdb " + firstMaster, "initdb " + secondMaster} {
			if !slices.Contains(w.log, made) {
				t.Errorf("%s: no %s", name(i), made)
			}
		}
		clean(t, w)
	}
}

func (w *toy) manner(i int) *Order {
	e := toyExperiment(w, manners[i].design, manners[i].writes)
	e.Restore = manners[i].restore
	return e
}

func name(i int) string {
	return fmt.Sprintf("%s writes=%v %s", manners[i].design, manners[i].writes, manners[i].restore)
}

// TestDesigns runs an experiment of each manner to its end: the runs are in the
// order that was drawn, both of a block draw the same numbers, the difference is
// found, and nothing is left.
func TestDesigns(t *testing.T) {
	for i, m := range manners {
		t.Run(name(i), func(t *testing.T) {
			w := newToy()
			e := w.manner(i)
			ended, discarded := 0, 0
			e.Progress = func(ev experiment.Event) {
				if ev.Ended {
					ended++
					discarded += len(ev.Discarded)
				}
				if ev.Blocks != 6 || ev.Block > 6 || ev.Left < 0 {
					t.Errorf("told: %+v", ev)
				}
			}
			r, err := w.run(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			clean(t, w)
			if w.most != m.servers {
				t.Errorf("%d servers were up at once, not %d", w.most, m.servers)
			}
			if len(r.Blocks) != 6 || r.Ended == "" {
				t.Fatalf("%d blocks, ended %q", len(r.Blocks), r.Ended)
			}
			seeds := map[uint64]bool{}
			for _, b := range r.Blocks {
				seeds[b.Seed] = true
				for k, run := range b.Runs {
					if run.Config != b.Order[k:k+1] || run.Seconds != 12 || !run.Steady ||
						run.Counters[experiment.Counted] != 20 {
						t.Errorf("block %d: %+v", b.Number, run)
					}
					// the counted transactions alone, 100 bytes each
					if run.Counters[experiment.WALBytes] != 2000 || run.Checkpoint != 1 ||
						run.Environment.Checkpoint != 0 {
						t.Errorf("block %d: counters %v, checkpoint %v", b.Number, run.Counters, run.Checkpoint)
					}
				}
			}
			if len(seeds) != 6 {
				t.Errorf("%d seeds for six blocks", len(seeds))
			}
			if ended != 6 || discarded != 0 {
				t.Errorf("the end of %d blocks was told, %d discarded", ended, discarded)
			}
			if m.design == experiment.DesignSingle {
				return
			}
			if r.Word != stat.Improved || math.Abs(float64(r.Effect)-10) > 0.2 {
				t.Errorf("verdict %s, effect %v %%", r.Word, r.Effect)
			}
			if r.A.Hash == "" || r.A.Hash == r.B.Hash {
				t.Errorf("hashes %q and %q", r.A.Hash, r.B.Hash)
			}
		})
	}
}

// TestFixedNumber verifies that where the run time decides, a run is a number of transactions and not a time.
func TestFixedNumber(t *testing.T) {
	w := newToy()
	e := w.manner(0)
	for _, no := range []struct {
		metric      string
		duration    float64
		count, jobs int
	}{{"seconds", 0, 0, e.Spec.Clients}, {"seconds", 10, 30, e.Spec.Clients}, {"tps", 0, 0, e.Spec.Clients},
		{"tps", 0, 30, 1}} {
		e.Metric, e.Spec.Duration, e.Spec.Count, e.Spec.Jobs = no.metric, no.duration, no.count, no.jobs
		if _, err := w.run(t.Context(), e); err == nil || !strings.Contains(err.Error(), "fixed number") &&
			!strings.Contains(err.Error(), "from one sequence") {
			t.Fatalf("%+v: %v", no, err)
		}
	}
	e.Metric, e.Spec.Duration, e.Spec.Count, e.Spec.Jobs = "seconds", 0, 30, e.Spec.Clients
	r, err := w.run(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range r.Blocks {
		for _, run := range b.Runs {
			if run.Transactions != 60 || run.Counters[experiment.Counted] != 60 || run.Seconds != 1 ||
				run.Counters[experiment.WALBytes] != 6000 {
				t.Errorf("block %d: %+v", b.Number, run)
			}
		}
	}
	for _, d := range w.drives {
		if d.Transactions == 0 && d.Logged {
			t.Errorf("a run of a time: %+v", d)
		}
	}
	clean(t, w)
}

// TestRestoreIsTold verifies that the document says what data a run found, and that copies which are kept did not live
// through an interrupt.
func TestRestoreIsTold(t *testing.T) {
	for i, want := range []string{experiment.RestoreFresh, experiment.RestoreShared, experiment.RestoreKept,
		experiment.RestoreFresh, experiment.RestoreKept, experiment.RestoreFresh} {
		w := newToy()
		n := 0
		w.fail = func(d loadgen.Drive) error {
			if n++; n == 14 {
				return errDead
			}
			return nil
		}
		r, err := w.run(t.Context(), w.manner(i))
		if err == nil || r.Spec.Restore != want || len(r.Blocks) == 0 {
			t.Fatalf("%s: %v, %q, %d blocks", name(i), err, r.Spec.Restore, len(r.Blocks))
		}
		blocks := len(r.Blocks)
		w.fail = nil
		if r, err = w.run(t.Context(), w.manner(i)); err != nil || r.Spec.Restore != want {
			t.Fatalf("%s: %v, %q", name(i), err, r.Spec.Restore)
		}
		note := fmt.Sprintf("interrupted after block %d:", blocks)
		if told := len(r.Notes) == 1 && strings.HasPrefix(r.Notes[0], note); told != (i == 2) {
			t.Errorf("%s: notes %q", name(i), r.Notes)
		}
	}
}

// measuredOf is what of a document does not depend on when it was made.
func measuredOf(t *testing.T, r *experiment.Result) string {
	t.Helper()
	for i := range r.Blocks {
		for k := range r.Blocks[i].Runs {
			r.Blocks[i].Runs[k].Started = ""
		}
	}
	notes := slices.DeleteFunc(append([]string{}, r.Notes...), func(n string) bool {
		return strings.HasPrefix(n, "interrupted after block")
	})
	b, err := json.MarshalIndent([]any{r.Blocks, r.Verdict, r.A, r.B, r.Workload, notes}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestKilledAnywhere kills the process before and after each thing that it does
// to the world, and resumes: what comes out is what would have come out, and
// nothing is left, neither files nor servers nor values of the kernel.
func TestKilledAnywhere(t *testing.T) {
	for i := range len(manners) + 2 { // at the end the first with two servers, and on existing databases
		i, two, existing := i%len(manners), i == len(manners), i == len(manners)+1
		t.Run(fmt.Sprintf("%s two servers=%v existing=%v", name(i), two, existing), func(t *testing.T) {
			short := func(w *toy) *Order {
				e := w.manner(i)
				e.Spec.Blocks, e.Spec.Duration = 2, 6
				if two {
					e.Second = second
				}
				if w.existing = existing; existing {
					e.On, e.OnB = &machine.Database{Cluster: "1"}, &machine.Database{Cluster: "2"}
					e.Design, e.Restore, e.KeepData = experiment.DesignTurns, experiment.RestoreExisting, false
					e.Spec.Cache, e.Spec.Slice, e.Spec.Cycles = "warm", 0, 0
					e.Fills = []string{e.On.Text()}
				}
				return e
			}
			whole := newToy()
			r, err := whole.run(t.Context(), short(whole))
			if err != nil {
				t.Fatal(err)
			}
			want := measuredOf(t, r)
			if whole.steps < 50 {
				t.Fatalf("only %d steps", whole.steps)
			}
			for at := 1; at <= whole.steps; at++ {
				for _, after := range []bool{false, true} {
					w := newToy()
					w.dies, w.after = at, after
					if _, err := w.run(t.Context(), short(w)); err == nil {
						t.Fatalf("step %d: killed, and no error", at)
					}
					w.revive()
					r, err := w.run(t.Context(), short(w))
					if err != nil {
						t.Fatalf("resumed after step %d (after it: %v, %s): %v", at, after, w.log[len(w.log)-1], err)
					}
					if got := measuredOf(t, r); got != want {
						t.Fatalf("resumed after step %d: other measurements than in one go:\n%s",
							at, cmp.Diff(want, got))
					}
					// Only a kill after the end of the experiment is not swept up by resuming it.
					if len(w.disk)+len(w.folders) > 0 || w.values[poolName] != "3" {
						if err := sweep(w, ""); err != nil {
							t.Fatal(err)
						}
					}
					clean(t, w)
					if t.Failed() {
						t.Fatalf("step %d, after it: %v", at, after)
					}
				}
			}
		})
	}
}

// TestLoadFails breaks the load in the middle, and the person's Ctrl-C comes: the
// experiment ends with one error, keeps what it has, leaves nothing, and goes on.
func TestLoadFails(t *testing.T) {
	broken := &say.Problem{Message: say.M("pgbench failed"), Code: say.CodeError}
	for i := range manners {
		for _, interrupt := range []bool{false, true} {
			w := newToy()
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			w.fail = func(d loadgen.Drive) error {
				if n++; n == 9 {
					if interrupt {
						cancel()
						return context.Cause(ctx)
					}
					return broken
				}
				return nil
			}
			r, err := w.run(ctx, w.manner(i))
			var p *say.Problem
			if interrupt && !errors.Is(err, context.Canceled) || !interrupt && !(errors.As(err, &p) && p == broken) {
				t.Fatalf("%s: %v", name(i), err)
			}
			if strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("more than one error: %v", err)
			}
			clean(t, w)
			before := len(r.Blocks)
			if r.Ended != "" || before >= 6 {
				t.Errorf("%s: %d blocks, ended %q", name(i), before, r.Ended)
			}
			w.fail = nil
			if r, err = w.run(t.Context(), w.manner(i)); err != nil || len(r.Blocks) != 6 || r.Ended == "" {
				t.Errorf("%s: resumed with %d blocks: %v", name(i), len(r.Blocks), err)
			}
			clean(t, w)
			cancel()
		}
	}
}

// TestServerCrash ends the server in the middle of a run: the error has its last
// words.
func TestServerCrash(t *testing.T) {
	w := newToy()
	w.fail = func(d loadgen.Drive) error {
		if d.Logged {
			delete(w.running, d.Conn.Host)
			return errors.New("connection lost")
		}
		return nil
	}
	_, err := w.run(t.Context(), w.manner(0))
	var p *say.Problem
	if !errors.As(err, &p) || !strings.Contains(p.Detail.String(), "PANIC: it is over") {
		t.Errorf("%v", err)
	}
	clean(t, w)
}

// TestTruncatedWhileWarming verifies that a table that autovacuum cuts off while the caches are filled ends no
// experiment, and that a server that refuses always does.
func TestTruncatedWhileWarming(t *testing.T) {
	w := newToy()
	e := w.manner(1)
	e.Spec.Cache = "warm"
	w.truncated = 3
	if _, err := w.run(t.Context(), e); err != nil || w.truncated != 0 {
		t.Errorf("%d left: %v", w.truncated, err)
	}
	clean(t, w)

	w = newToy()
	e = w.manner(1)
	e.Spec.Cache = "warm"
	w.truncated = 1000
	if _, err := w.run(t.Context(), e); err == nil || !strings.Contains(err.Error(), "ending block number") {
		t.Errorf("a server that always refuses: %v", err)
	}
	clean(t, w)
}

// TestRefused holds what an experiment does not begin with.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(w *toy, e *Order)
		code   int
		says   string
	}{
		{"no space", func(w *toy, e *Order) { w.free = 11 * unit.GB }, say.CodeRefused, "disk space"},
		{"memory", func(w *toy, e *Order) { e.Spec.Clients = 2000 }, say.CodeRefused, "memory"},
		{"kernel", func(w *toy, e *Order) { e.MayTouchKernel = false }, say.CodeRefused, "kernel"},
		{"pool", func(w *toy, e *Order) { e.B.HugePages = 8000 }, say.CodeRefused, "huge pages"},
		{"cold", func(w *toy, e *Order) { e.MayTouchKernel, e.Spec.Cache = false, "cold" }, say.CodeRefused, "cold"},
		{"settings", func(w *toy, e *Order) { w.refuse = "8MB" }, say.CodeUsage, "would not start"},
		{"foreign", func(w *toy, e *Order) { e.Guard.Systems = []uint64{4711} }, say.CodeRefused, "copy of a server"},
		{"place", func(w *toy, e *Order) { e.B.Settings["data_directory"] = "/x" }, say.CodeUsage, "data_directory"},
		{"archive", func(w *toy, e *Order) { e.A.Settings = map[string]string{"Archive_Command": "rm"} }, say.CodeUsage,
			"Archive_Command"},
		{"overcommit", func(w *toy, e *Order) { e.B.Kernel["sysctl:vm.overcommit_memory"] = "2" }, say.CodeUsage,
			"overcommit"},
		{"shared", func(w *toy, e *Order) { e.Restore = experiment.RestoreShared }, say.CodeUsage, "share"},
		{"metric", func(w *toy, e *Order) { e.Metric = "wal_bytes_per_tx" }, say.CodeUsage, "metric"},
		{"duration", func(w *toy, e *Order) { e.Spec.Duration = math.NaN() }, say.CodeUsage, "run of"},
		{"rate", func(w *toy, e *Order) { e.Spec.Rate = math.Inf(1) }, say.CodeUsage, "rate"},
		{"unknown parameter", func(w *toy, e *Order) { e.B.Settings["no_such"] = "1" }, say.CodeError, "no_such"},
	} {
		w := newToy()
		e := w.manner(0)
		c.change(w, e)
		_, err := w.run(t.Context(), e)
		var p *say.Problem
		if !errors.As(err, &p) || p.Code != c.code || !strings.Contains(p.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
		clean(t, w)
	}
}

// TestResumeRefuses verifies that an experiment does not go on under other conditions.
func TestResumeRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(e *Order)
		says   string
	}{
		{"settings", func(e *Order) { e.B.Settings["work_mem"] = "9MB" }, "settings of configuration B"},
		{"kernel", func(e *Order) { e.A.Kernel = map[knob.Address]string{"thp:enabled": "always"} },
			"settings of configuration A"},
		{"data", func(e *Order) { e.Load.(*toyLoad).words = "other" }, "workload"},
		{"scale", func(e *Order) { e.Scale++ }, "workload"},
		{"duration", func(e *Order) { e.Spec.Duration++ }, "number"},
		{"host", func(e *Order) { e.Host.Memory++ }, "host"},
	} {
		w := newToy()
		w.dies = 60
		if _, err := w.run(t.Context(), w.manner(0)); err == nil {
			t.Fatal("not killed")
		}
		w.revive()
		e := w.manner(0)
		c.change(e)
		_, err := w.run(t.Context(), e)
		var p *say.Problem
		if !errors.As(err, &p) || p.Code != say.CodeRefused || !strings.Contains(p.Message.String(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	w := newToy()
	w.dies = 60
	_, _ = w.run(t.Context(), w.manner(0))
	w.revive()
	_, err := execute(t.Context(), w.manner(0), w, toyShelf{w}, "another program", true)
	if err == nil || !strings.Contains(err.Error(), "the PostgreSQL program") {
		t.Errorf("another server: %v", err)
	}
	w.dir[planName] = []byte(strings.Replace(string(w.dir[planName]), `"seed": 5`, `"seed": 6`, 1))
	if _, err := w.run(t.Context(), w.manner(0)); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("a plan that was edited: %v", err)
	}
}

// TestPoolOfScatteredMemory: where the kernel gives fewer huge pages, memory is compacted, and the page cache dropped
// only when that was not enough; at last the former pool is restored.
func TestPoolOfScatteredMemory(t *testing.T) {
	for short, want := range [][]string{
		{"set 10"}, {"set 10", "compact false", "set 10"}, {"set 10", "compact false", "set 10", "compact true",
			"set 10"},
		{"set 10", "compact false", "set 10", "compact true", "set 10", "set 3"},
	} {
		w := newToy()
		w.scattered = short
		err := touch(w, []experiment.Configuration{{HugePages: 7}}, true)
		var p *say.Problem
		if failed := errors.As(err, &p) && strings.Contains(p.Message.String(),
			"7 huge pages"); failed != (short == mostPools) || (err != nil) != failed {
			t.Errorf("%d times too few: %v", short, err)
		}
		var log []string
		for _, l := range w.log {
			if l = strings.ReplaceAll(l, poolName+" ", ""); strings.HasPrefix(l, "set") ||
				strings.HasPrefix(l, "compact") {
				log = append(log, l)
			}
		}
		if !slices.Equal(log, want) {
			t.Errorf("%d times too few: %q, wanted %q", short, log, want)
		}
	}
}

// TestForeignKernelValue verifies that what others set meanwhile stays.
func TestForeignKernelValue(t *testing.T) {
	w := newToy()
	if err := touch(w, []experiment.Configuration{{HugePages: 7,
		Kernel: map[knob.Address]string{"thp:enabled": "always"}}}, true); err != nil {
		t.Fatal(err)
	}
	if w.values[poolName] != "10" || w.values["thp:enabled"] != "always" {
		t.Fatalf("%v", w.values)
	}
	w.values["thp:enabled"] = "never"
	done, err := untouch(w)
	if err != nil || len(done) != 1 || w.values[poolName] != "3" || w.values["thp:enabled"] != "never" {
		t.Errorf("%v %v %v", done, err, w.values)
	}
	if len(w.disk) > 0 {
		t.Errorf("the record is left: %v", w.disk)
	}
	w.disk[recordName] = `[{"name":"sysctl:kernel.core_pattern","before":"|evil","after":"core"}]`
	if _, err := untouch(w); err == nil || w.disk[recordName] == "" {
		t.Errorf("a record of something that no experiment changes was obeyed: %v", err)
	}
}
