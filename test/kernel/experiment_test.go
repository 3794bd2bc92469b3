package kernel

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// victimOf marks a process as the one to be killed: its directory.
const victimOf = "PGFETTLE_TEST_EXPERIMENT"

// onPages is an experiment on huge pages: the same server on pages of both sizes.
func onPages(t *testing.T, b scratch.Binaries, design, dir string) *engine.Order {
	t.Helper()
	p, err := workload.FindPgbench(t.Context(), b.Version)
	if err != nil {
		tier.Missing(t, tier.Kernel, "%v", err)
	}
	w, err := workload.Find("select-only")
	if err != nil {
		t.Fatal(err)
	}
	// 256 MB are 128 huge pages of 2 MB; what else is in shared memory takes a
	// dozen, and more in later versions.
	settings := func(huge string) map[string]string {
		return map[string]string{"shared_buffers": "256MB", "huge_pages": huge}
	}
	return &engine.Order{
		Experiment: experiment.Experiment{
			A:      experiment.Configuration{Name: "4 kB", Settings: settings("off")},
			B:      experiment.Configuration{Name: "huge", Settings: settings("on"), HugePages: 160},
			Design: design, Metric: "tps", Scale: 10,
			// So many look-ups that each backend touches most of the buffers.
			Spec: experiment.Spec{Blocks: 2, Clients: 4, Jobs: 1, Duration: 3, Warmup: 1, Slice: 3, Rate: 400, Seed: 1,
				Cache: "warm", Protocol: "prepared", Margin: 2},
			Dir: filepath.Join(dir, "docs"), Scratch: filepath.Join(dir, "scratch"),
			Host: experiment.Host{Kernel: "here", CPUs: 2, Memory: 1 << 30},
		},
		Binaries: b, Load: &loadgen.Pgbench{Workload: w, Program: p}, MayTouchKernel: true,
		MostCalibrations: 1, CalibrationBytes: 8 << 20,
	}
}

// TestExperimentHugePages runs an experiment whose configurations differ in the kernel: the pool exists while the
// configuration that uses it runs, its server uses it, as the page tables show, and it is released, also after a kill.
func TestExperimentHugePages(t *testing.T) {
	if dir := os.Getenv(victimOf); dir != "" {
		e := onPages(t, cell.Binaries(t, tier.Kernel, 15), experiment.DesignSlices, dir)
		e.Progress = func(ev experiment.Event) { fmt.Println("event", ev.Step) }
		_, err := engine.Run(t.Context(), e)
		t.Fatalf("not killed: %v", err)
	}
	unchanged(t)
	b := cell.Binaries(t, tier.Kernel, 15)
	for _, design := range []string{experiment.DesignRestart, experiment.DesignSlices} {
		t.Run(design, func(t *testing.T) {
			e := onPages(t, b, design, cell.Folder(t))
			before := pool(t)
			r, err := engine.Run(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			for _, blk := range r.Blocks {
				small, huge := blk.Run("A").Counters[experiment.PageTables],
					blk.Run("B").Counters[experiment.PageTables]
				// Five of its backends and processes have touched parts of 256 MB: on 4 kB pages
				// that is up to 512 kB each beyond what a process has anyway.
				if huge <= 0 || small < huge*1.1 {
					t.Errorf("block %d: page tables %v on small pages, %v on huge ones", blk.Number, small, huge)
				}
			}
			if _, err := os.Stat(e.Scratch); !os.IsNotExist(err) {
				t.Errorf("the scratch folder is left: %v", err)
			}
			if n := pool(t); n != before {
				t.Errorf("pool %s, was %s", n, before)
			}
		})
	}
	t.Run("killed", func(t *testing.T) {
		was := pool(t)
		dir := cell.Folder(t)
		cmd := exec.Command(os.Args[0], "-test.run=^TestExperimentHugePages$", "-test.v")
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
			seen = s.Text() == "event measure"
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it was killed
		if !seen {
			t.Fatalf("it ended before:\n%s", said)
		}
		if pool(t) == was {
			t.Error("the kill left no pool to give back")
		}
		e := onPages(t, b, experiment.DesignSlices, dir)
		done, err := engine.Clean(e.Scratch, b)
		if err != nil {
			t.Fatal(err)
		}
		if pool(t) != was || len(done) < 3 || !strings.Contains(done[0], "nr_hugepages") {
			t.Errorf("pool %s, was %s; put back: %q", pool(t), was, done)
		}
		if _, err := os.Stat(e.Scratch); !os.IsNotExist(err) {
			t.Errorf("the scratch folder is left: %v", err)
		}
	})
}

func pool(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("/proc/sys/vm/nr_hugepages")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}
