package experiments

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/experiment/configure"
	"github.com/pgfettle/pgfettle/internal/act/probe"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/cell"
)

// probeLeft returns what probes have left beside a data directory and in it.
func probeLeft(t *testing.T, i *scratch.Instance) []string {
	t.Helper()
	var left []string
	for _, dir := range []string{i.Folder, i.DataDir, i.DataDir + "/pg_wal"} {
		m, err := filepath.Glob(dir + "/pgsql_tmp_pgfettle-*")
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, m...)
	}
	return left
}

// TestProbe measures for real beside a server that runs, finds the result again
// in the evidence and in the reasons of the rules, and leaves nothing.
func TestProbe(t *testing.T) {
	on(t, []int{18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		s := read(t, evidenceOf(t, i, false))
		w := probe.Prepare(&target.Local{}, s, probe.Options{Seconds: 1})
		if len(w.Disks) != 1 || !slices.Contains(w.Disks[0].Roles, "wal") || len(w.Running) != 1 ||
			w.Time < 16*time.Second {
			t.Fatalf("one disk of one server that runs: %+v", w)
		}
		p, err := w.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if left := probeLeft(t, i); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		d, ok := s.MeasuredAt(&s.Instances[0], snapshot.DataPlace)
		if ok {
			t.Errorf("measured before it was: %+v", d)
		}
		if len(p.Disks) != 1 || p.Disks[0].Flush == nil {
			t.Fatalf("%+v", p)
		}
		d = &p.Disks[0]
		t.Logf("%+v\n%+v\n%+v\n%+v\n%+v", d, d.Flush, d.Reads, p.Memory, p.Missing)
		if rate, ok := d.Flush.Rate("fdatasync"); !ok || rate <= 0 {
			t.Errorf("fdatasync was not measured: %+v", d.Flush)
		}
		if d.Identity == "" || p.Kernel == "" || p.Memory == nil || p.Memory.Latency <= 0 {
			t.Errorf("not all was measured: %+v", p)
		}
		lacks := func(word string) bool {
			return slices.ContainsFunc(p.Missing, func(g known.Gap) bool {
				return strings.Contains(g.Fact, word) && g.Reveal != ""
			})
		}
		if _, err := exec.LookPath("fio"); err != nil {
			if d.Reads != nil || !lacks("fio") {
				t.Errorf("no fio, and that is not said: %+v", p.Missing)
			}
		} else if lacks("reads of the disk") {
			t.Log("too little space for reads here")
		} else if d.Reads == nil || len(d.Reads.Random) != 4 || d.Reads.Sequential <= 0 || d.FioFlush == nil ||
			d.FioFlush.P99 <= 0 {
			t.Errorf("fio: %+v %+v %+v", d.Reads, d.FioFlush, p.Missing)
		}
		if p.Timing == nil && !lacks("pg_test_timing") {
			t.Errorf("no pg_test_timing, and that is not said: %+v", p.Missing)
		}

		dir := t.TempDir()
		if _, err := probe.Save(&target.Local{}, dir, p); err != nil {
			t.Fatal(err)
		}
		a, err := collect.Run(t.Context(), &target.Local{}, collect.Request{Kind: collect.DataDir, Value: i.DataDir,
			Measured: []string{dir}})
		if err != nil {
			t.Fatal(err)
		}
		kept := read(t, a)
		got, ok := kept.Measured.Get()
		if !ok || len(got.Disks) != 1 || got.Disks[0].Flush.Fsync.One[0] != d.Flush.Fsync.One[0] ||
			len(got.Disks[0].Places) != 0 {
			t.Fatalf("not found again: %+v %+v", got, kept.Measured.Gap())
		}
		out, err := rule.Decide(kept, rules.All(), rule.Options{Profile: rule.Mixed})
		if err != nil {
			t.Fatal(err)
		}
		if dec := out.Of(kept.Instances[0].Key, "pg:random_page_cost"); d.Reads != nil &&
			(dec == nil || !strings.Contains(dec.Reason.String(), d.Reads.By)) {
			t.Errorf("random_page_cost does not rest on it: %+v", dec)
		}
		if dec := out.Of(kept.Instances[0].Key, "pg:track_io_timing"); p.Timing != nil &&
			(dec == nil || !strings.Contains(dec.Reason.String(), p.Timing.By)) {
			t.Errorf("track_io_timing does not rest on it: %+v", dec)
		}

		// What an experiment measures as «plan» is what plan says here.
		trial, err := configure.Open(t.Context(), &target.Local{},
			configure.Choice{Bin: b.Dir, Tool: "test", Measured: []string{dir}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := trial.Close(); err != nil {
				t.Error(err)
			}
		}()
		tried, err := trial.Plan(t.Context(), rule.Options{Profile: rule.Mixed})
		if err != nil {
			t.Fatal(err)
		}
		rests := slices.ContainsFunc(tried.Changes, func(c plan.Change) bool {
			return d.Reads != nil && strings.Contains(c.Reason.String(), d.Reads.By) ||
				p.Timing != nil && strings.Contains(c.Reason.String(), p.Timing.By)
		})
		if (d.Reads != nil || p.Timing != nil) && !rests {
			t.Errorf("the plan of an experiment does not rest on the probe: %+v", tried.Changes)
		}
	})
}

// TestProbeWithoutTools: where pg_test_fsync is not installed the own loop is in, under its own name.
func TestProbeWithoutTools(t *testing.T) {
	on(t, []int{17}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		s := read(t, evidenceOf(t, i, false))
		w := probe.Prepare(bare{&target.Local{}}, s, probe.Options{Seconds: 1})
		p, err := w.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Disks) != 1 || p.Disks[0].Flush == nil || p.Disks[0].Flush.By != measured.OwnFlush ||
			p.Disks[0].Reads == nil || p.Disks[0].Reads.By != measured.OwnReads || p.Timing != nil {
			t.Fatalf("%+v", p)
		}
		if rate, ok := p.Disks[0].Flush.Rate("fdatasync"); !ok || rate <= 0 {
			t.Errorf("%+v", p.Disks[0].Flush)
		}
		for _, word := range []string{"pg_test_fsync", "pg_test_timing", "fio"} {
			if !slices.ContainsFunc(p.Missing, func(g known.Gap) bool {
				return strings.Contains(g.Fact, word) && strings.Contains(g.Reveal, "install")
			}) {
				t.Errorf("%s is missing, and no package is named: %+v", word, p.Missing)
			}
		}
		if left := probeLeft(t, i); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
}

// TestProbeIsInterrupted verifies that Ctrl-C leaves nothing, and that what a kill leaves is gone with the next probe.
func TestProbeIsInterrupted(t *testing.T) {
	bin := cell.Binary(t)
	on(t, []int{16}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		stop := func(sig syscall.Signal) (code int) {
			cmd := exec.Command(bin, "probe", i.DataDir, "--only", "fsync", "--seconds", "1", "--yes", "--no-keep")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() }) // where no directory is made; else it has ended
			await.That(t, "the folder of the probe, with its owner's mark", func() (bool, any) {
				left := probeLeft(t, i)
				if len(left) == 0 {
					return false, left
				}
				mark, err := os.ReadFile(left[0] + "/.pgfettle-owner")
				return err == nil && len(mark) > 0, err
			})
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			return cmd.ProcessState.ExitCode()
		}
		if code := stop(syscall.SIGINT); code != 130 {
			t.Errorf("interrupted: exit code %d", code)
		}
		if left := probeLeft(t, i); len(left) > 0 {
			t.Errorf("Ctrl-C left behind: %q", left)
		}
		stop(syscall.SIGKILL)
		if len(probeLeft(t, i)) != 1 {
			t.Fatalf("a kill leaves its folder: %q", probeLeft(t, i))
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var during []string
		w := probe.Prepare(&target.Local{}, read(t, evidenceOf(t, i, false)),
			probe.Options{Seconds: 1, Only: []string{probe.Fsync},
				Tell: func(say.Message) { during = probeLeft(t, i); cancel() }})
		if _, err := w.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if len(during) != 1 {
			t.Errorf("the folder of the killed one is still there beside its own: %q", during)
		}
		if left := probeLeft(t, i); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		if _, err := os.Stat(i.DataDir + "/postmaster.pid"); err != nil {
			t.Errorf("the server: %v", err)
		}
	})
}

// bare is this host without the programs that measure.
type bare struct{ target.Target }

var measuring = []string{"pg_test_fsync", "pg_test_timing", "fio"}

func (b bare) Stat(name string) (target.Info, error) {
	if slices.Contains(measuring, filepath.Base(name)) {
		return target.Info{}, os.ErrNotExist
	}
	return b.Target.Stat(name)
}

func (b bare) Run(ctx context.Context, c target.Command) (target.Output, error) {
	if slices.Contains(measuring, filepath.Base(c.Argv[0])) {
		return target.Output{}, exec.ErrNotFound
	}
	return b.Target.Run(ctx, c)
}
