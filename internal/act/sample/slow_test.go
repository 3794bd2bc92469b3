package sample

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/live"
)

// tree makes a host of files.
func tree(t *testing.T, files map[string]string) target.Target {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at, err := (&target.Local{}).Sub(dir)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

const stat = "cpu  10 0 5 100 1 0 0 2 0 0\ncpu0 5 0 3 50 1 0 0 1 0 0\ncpu1 5 0 2 50 0 0 0 1 0 0\nctxt " +
	"77\nprocs_running 4\nprocs_blocked 1\n"

// TestRun watches a host of files: what is there is read, and what is missing is reported once.
func TestRun(t *testing.T) {
	at := tree(t, map[string]string{
		"proc/stat": stat, "proc/vmstat": "pgfault 9\nnr_free_pages 5\ncompact_stall 3\n",
		"proc/meminfo":             "MemTotal: 1024 kB\nMemAvailable: 512 kB\nPageTables: 8 kB\n",
		"proc/pressure/cpu":        "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n",
		"proc/pressure/memory":     "nonsense\n",
		"g2/memory.current":        "4096\n",
		"g2/memory.max":            "8192\n",
		"g2/memory.pressure":       "some avg10=0.00 avg60=0.00 avg300=0.00 total=6\n",
		"g2/cpu.stat":              "nr_periods 10\nnr_throttled 4\n",
		"g1/memory.failcnt":        "3\n",
		"g1/memory.stat":           "pgmajfault 2\n",
		"g1/memory.usage_in_bytes": "100\n",
		"g1/memory.limit_in_bytes": "9223372036854771712\n",
	})
	e, err := Slow(t.Context(), at, SlowOptions{Duration: time.Millisecond, Host: true, CGroup: "/g2"})
	if err != nil {
		t.Fatal(err)
	}
	if e.CPUs != 2 || e.Memory != unit.MB || e.Available != 512*unit.KB || e.Tables != 8*unit.KB ||
		e.After.CPU.Switches != 77 {
		t.Errorf("%+v", e)
	}
	if d := cmp.Diff(map[string]int64{"pgfault": 9, "compact_stall": 3}, e.Before.VM); d != "" {
		t.Error(d)
	}
	if len(e.Ticks) == 0 || e.Ticks[0] != (live.Tick{Running: 3, Blocked: 1}) {
		t.Errorf("ticks %+v", e.Ticks)
	}
	if e.After.CGMemory != 4096 || e.After.CGMemoryMax != 8192 || e.After.CGPressure["memory"].Some != 6 ||
		e.After.CGroup["nr_throttled"] != 4 {
		t.Errorf("group %+v", e.After)
	}
	told := map[string]int{}
	for _, g := range e.Missing {
		told[g.Fact]++
	}
	for _, name := range []string{"/proc/pressure/memory", "/proc/pressure/io", "/g2/memory.stat"} {
		if told[name] != 1 {
			t.Errorf("%s is missing, and that is told %d times", name, told[name])
		}
	}
	if slices.ContainsFunc(e.Missing, func(g known.Gap) bool { return g.Fact == "/proc/stat" || g.Reason == "" }) {
		t.Errorf("%+v", e.Missing)
	}
	if e, err = Slow(t.Context(), at, SlowOptions{Duration: time.Millisecond, Host: true, CGroup: "/g1"}); err != nil {
		t.Fatal(err)
	}
	if e.After.CGMemory != 100 || e.After.CGMemoryMax != 0 || e.After.CGroup["max"] != 3 ||
		e.After.CGroup["pgmajfault"] != 2 || len(e.After.CGPressure) != 0 {
		t.Errorf("group of version 1: %+v", e.After)
	}
	// A host that is not the instance's is not read.
	if e, err = Slow(t.Context(), at, SlowOptions{Duration: time.Millisecond}); err != nil || e.CPUs != 0 ||
		len(e.Ticks) != 0 || len(e.Missing) != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Slow(ctx, tree(t, map[string]string{"proc/stat": stat}),
		SlowOptions{Duration: time.Hour, Host: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestBusiest(t *testing.T) {
	before := map[int]host.ProcessStat{
		1: {PID: 1, Name: "init", Ticks: 50}, 100: {PID: 100, Name: "postgres", Ticks: 10},
		101: {PID: 101, Parent: 100, Name: "postgres", Ticks: 1000, Major: 1},
		7:   {PID: 7, Parent: 2, Name: "kswapd0", Ticks: 5}, 8: {PID: 8, Name: "gone", Ticks: 900},
	}
	after := map[int]host.ProcessStat{
		1: {PID: 1, Name: "init", Ticks: 50}, 100: {PID: 100, Name: "postgres", Ticks: 20},
		101: {PID: 101, Parent: 100, Name: "postgres", Ticks: 1300, Major: 4},
		// the id of the one that is gone
		7: {PID: 7, Parent: 2, Name: "kswapd0", Ticks: 55}, 8: {PID: 8, Name: "new", Ticks: 30},
	}
	want := []live.Busy{
		{PID: 101, Name: "postgres", Ours: true, CPU: 3, Major: 3}, {PID: 7, Name: "kswapd0", Kernel: true, CPU: 0.5},
		{PID: 8, Name: "new", CPU: 0.3}, {PID: 100, Name: "postgres", Ours: true, CPU: 0.1},
	}
	if d := cmp.Diff(want, busiest(before, after, 100)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
