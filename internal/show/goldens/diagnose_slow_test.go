package goldens

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/test/golden"
)

// TestSlowText renders every case of the judge: as text against a golden, plain and narrow with colors, and as JSON
// against the published schema.
func TestSlowText(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "judge", "diagnose", "slow", "testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			plans := map[string]*queryplan.Plan{}
			for _, f := range ar.Files {
				if f.Name == "slow" || f.Name == "fast" {
					list, err := queryplan.Parse(f.Data)
					if err != nil {
						t.Fatal(err)
					}
					plans[f.Name] = list[0]
				}
			}
			d := slow.Compare("slow.txt", plans["slow"], "fast.txt", plans["fast"])
			var text, narrow, doc bytes.Buffer
			if err := term.Write(&text, reports.Slow(d, nil), term.Style{Width: 100}); err != nil {
				t.Fatal(err)
			}
			if err := term.Write(&narrow, reports.Slow(d, nil), term.Style{Width: 50, Color: true}); err != nil {
				t.Fatal(err)
			}
			if err := json.Slow(&doc, d); err != nil {
				t.Fatal(err)
			}
			valid(t, "diagnose-slow", doc.Bytes())
			slowGolden(t, "slow_"+name, text.Bytes())
			if name == "other_plan" {
				slowGolden(t, "slow_"+name+"_narrow", narrow.Bytes())
			}
		})
	}
}

// TestSlowPlanText renders what each plan of the cases says alone: as JSON against the published schema, and some as
// text.
func TestSlowPlanText(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "judge", "diagnose", "slow", "testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if f.Name != "slow" {
				continue
			}
			list, err := queryplan.Parse(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			d := slow.Read("slow.txt", list[0])
			var text, doc bytes.Buffer
			if err := term.Write(&text, reports.SlowPlan(d, nil), term.Style{Width: 100}); err != nil {
				t.Fatal(err)
			}
			if err := json.SlowPlan(&doc, d); err != nil {
				t.Fatal(err)
			}
			valid(t, "diagnose-slow-plan", doc.Bytes())
			switch name {
			case "other_plan", "spill", "trigger", "reads_timed":
				slowGolden(t, "slow_plan_"+name, text.Bytes())
			}
		}
	}
}

// TestProfileText renders a profile of perf: as text, and as JSON against the published
// schema.
func TestProfileText(t *testing.T) {
	p, err := live.ParseProfile([]byte("postgres;main;s_lock 55\n" +
		"postgres;main;asm_exc_page_fault_[k];handle_mm_fault_[k];clear_page_erms_[k] 20\npostgres;main;ExecScan 25\n"))
	if err != nil {
		t.Fatal(err)
	}
	d := sampled.JudgeProfile("perf.folded", p)
	var text, doc bytes.Buffer
	if err := term.Write(&text, reports.Profile(d, nil), term.Style{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if err := json.Profile(&doc, d); err != nil {
		t.Fatal(err)
	}
	valid(t, "diagnose-slow-perf", doc.Bytes())
	slowGolden(t, "slow_perf", text.Bytes())
}

// jam is a watch that shows everything, with texts of the server that would act
// upon a terminal.
func jam() *live.Episode {
	return &live.Episode{Seconds: 10, CPUs: 2, HostSeen: true, Memory: 16 * unit.GB, Tables: 3 * unit.GB, Asked: 40,
		Before: live.Counters{CPU: host.CPUCounters{User: 1, Idle: 1000},
			VM: map[string]int64{"pgmajfault": 0, "compact_stall": 0}, Pressure: map[string]host.PSITotals{"cpu": {}}},
		After: live.Counters{CPU: host.CPUCounters{User: 1001, System: 900, Idle: 1100, Switches: 40000},
			VM:       map[string]int64{"pgmajfault": 50, "compact_stall": 30},
			Pressure: map[string]host.PSITotals{"cpu": {Some: 6_000_000}}},
		Ticks: []live.Tick{{Running: 5, Blocked: 1}, {Running: 6}},
		Processes: []live.Busy{{PID: 99, Name: "stress\x1b[2J", CPU: 11},
			{PID: 100, Name: "postgres", Ours: true, CPU: 5}, {PID: 30, Name: "kswapd0", Kernel: true, CPU: 1}},
		Waits: []live.Wait{{Backend: "client backend", State: "active", Type: "Lock", Event: "transactionid",
			Seen: 300}, {Backend: "client backend", State: "active", Seen: 30}},
		Blockers: []live.Blocker{{PID: 4711, Waiters: 7, State: "idle in transaction", Since: 120,
			Query: "UPDATE t\n SET x = '\x1b[31m'", Example: "UPDATE t SET x = 1"}},
		Perf: []live.Symbol{{Percent: 8.6, Command: "postgres", Name: "s_lock"},
			{Percent: 4.4, Command: "cat", Kernel: true, Name: "smaps_pte_entry"},
			{Percent: 2, Command: "a", Name: "b"}},
		Missing: []known.Gap{{Fact: "/proc/pressure/io", Reason: "this kernel or host does not have it"},
			{Fact: "perf", Reason: "it is not installed", Reveal: "install perf"}},
	}
}

// TestSlowSampleText renders a watch that shows everything, with texts of the
// server that would act upon a terminal.
func TestSlowSampleText(t *testing.T) {
	e := jam()
	for name, e := range map[string]*live.Episode{"sample_jam": e, "sample_nothing": {Seconds: 1}} {
		d := sampled.Judge("/srv/pg/17", e)
		var text, doc bytes.Buffer
		if err := term.Write(&text, reports.Sample(d, nil), term.Style{Width: 100}); err != nil {
			t.Fatal(err)
		}
		if err := json.Sample(&doc, d); err != nil {
			t.Fatal(err)
		}
		valid(t, "diagnose-slow-sample", doc.Bytes())
		if strings.ContainsRune(text.String(), '\x1b') {
			t.Errorf("%s: a text of the host acts upon the terminal:\n%q", name, text.String())
		}
		slowGolden(t, "slow_"+name, text.Bytes())
	}
}

// slowGolden compares with testdata/diagnose/NAME.txt.
func slowGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "diagnose", name+".txt")
	if golden.Updating() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
