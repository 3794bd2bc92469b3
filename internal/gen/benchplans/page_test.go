package main

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

var update = flag.Bool("update", false, "rewrite the golden")

// made writes an experiment in which B is so many times A.
func made(t *testing.T, dir, name string, ratio float64, change func(*experiment.Result)) {
	t.Helper()
	unknown := stat.Number(math.NaN())
	r := &experiment.Result{Schema: experiment.ResultSchema, Started: "2026-11-21T10:00:00Z",
		Ended: "2026-11-21T11:00:00Z", Design: experiment.DesignRestart, Metric: "tps",
		A: experiment.MeasuredConfiguration{Name: "x.conf",
			Settings: []experiment.Setting{{Address: "pg:work_mem", Value: "64MB"}}},
		B:        experiment.MeasuredConfiguration{Name: "plan"},
		Workload: experiment.MeasuredWorkload{Name: "tpcb", Scale: 600, Bytes: 9 << 30},
		Spec:     experiment.Spec{Blocks: 6, Clients: 8, Duration: 120, Cache: "warm", Protocol: "prepared", Margin: 2},
		Host:     experiment.Host{Kernel: "6.12", CPUs: 2, Memory: 24 << 30, Server: "17.11"}}
	for i := range 6 {
		quiet := experiment.Environment{Steal: unknown, Foreign: unknown, PSICPU: unknown, PSIIO: unknown,
			PSIMemory: unknown, ClockStep: unknown, CalibrationCPU: unknown, CalibrationSync: unknown}
		run := func(label string, tps float64) experiment.Run {
			return experiment.Run{Config: label, Seconds: 120, TPS: tps,
				Latency: experiment.Latency{Mean: 1, SD: unknown, P50: unknown, P95: unknown, P99: unknown,
					Max: unknown}, Environment: quiet}
		}
		a := 1000 + 3*float64(i)
		r.Blocks = append(r.Blocks, experiment.Block{Number: i + 1, Order: "AB",
			Runs: []experiment.Run{run("A", a), run("B", a*(ratio+0.002*float64(i%3)))}})
	}
	if change != nil {
		change(r)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name, "result.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPage holds the page: wins and losses in the order of the list.
func TestPage(t *testing.T) {
	dir := t.TempDir()
	made(t, dir, "olap,default", 0.93, nil)
	made(t, dir, "tpcb,pgtune", 1.0, nil)
	made(t, dir, "tpcb,default", 1.1, func(r *experiment.Result) { r.Blocks[2].Runs[0].Environment.Steal = 20 })
	made(t, dir, "exercise,fsync-off", 2.5, func(r *experiment.Result) {
		r.A.Name, r.B.Name = "default", "default+pg:fsync=off"
	})
	made(t, dir, "1c,default", 1.3, func(r *experiment.Result) {
		r.Workload.Name, r.Spec.Duration, r.Spec.Count = "1c", 0, 100
	})
	made(t, dir, "aa,1", 1.0, func(r *experiment.Result) { r.A.Name, r.Spec.Duration = "default", 4 })
	made(t, dir, "aa,2", 1.02, func(r *experiment.Result) { r.A.Name, r.Spec.Duration = "default", 4 })
	list, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := decides(list); err != nil {
		t.Error(err)
	}
	got, err := markdown(list, "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "page.md")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// TestPublished verifies that docs/benchmarks.md is what the published documents come to, and that copies of documents
// make the same page.
func TestPublished(t *testing.T) {
	docs := filepath.Join("..", "..", "..", "docs")
	list, err := read(filepath.Join(docs, "benchmarks"))
	if err != nil {
		t.Fatal(err)
	}
	if err := decides(list); err != nil {
		t.Error(err)
	}
	notes, err := readNotes(filepath.Join(docs, "benchmarks"))
	if err != nil || notes == "" {
		t.Fatalf("no notes: %v", err)
	}
	got, err := markdown(list, notes)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(docs, "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
	for _, e := range list {
		if text, err := rows(e.document); err != nil || string(text) != string(e.document) {
			t.Errorf("%s,%s is not published a run on a line (%v)", e.load, e.other, err)
		}
	}
	dir := t.TempDir()
	if err := copyTo(dir, list); err != nil {
		t.Fatal(err)
	}
	if list, err = read(dir); err != nil {
		t.Fatal(err)
	}
	if again, err := markdown(list, notes); err != nil || again != got {
		t.Errorf("copies of the documents make another page (%v)", err)
	}
}

// TestRows holds the form of published documents: brackets and commas in strings are words, a list of numbers stays on
// its line, and no value is rewritten.
func TestRows(t *testing.T) {
	const document = `{ "a": {"settings": [{"x": "1, [2] {3} \\\" ,"}, {"x": 2}]}, "n": 1.50e-7,
 "blocks": [{"number": 1, "runs": [{"w": [1, 2]}, {"w": []}], "r": 1}, {"runs": []}], "secondary": [], "notes": ["a, ` +
		`b"]}`
	const want = `{
 "a":{"settings":[{"x":"1, [2] {3} \\\" ,"},{"x":2}]},
 "n":1.50e-7,
 "blocks":[
  {"number":1,"runs":[
    {"w":[1,2]},
    {"w":[]}],"r":1},
  {"runs":[]}],
 "secondary":[],
 "notes":["a, b"]
}
`
	got, err := rows([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	if again, err := rows(got); err != nil || string(again) != want {
		t.Errorf("rows of rows: %v\n%s", err, again)
	}
	if _, err := rows([]byte(`{"a":`)); err == nil {
		t.Error("half a document is taken")
	}
}

// TestTrialsAreRefused verifies that the page takes neither a short nor an unfinished experiment, nor those of two
// hosts.
func TestTrialsAreRefused(t *testing.T) {
	for name, change := range map[string]func(*experiment.Result){
		"not finished": func(r *experiment.Result) { r.Ended = "" },
		"a trial":      func(r *experiment.Result) { r.Spec.Duration = 2 },
		"6 blocks":     func(r *experiment.Result) { r.Spec.Blocks = 2 },
	} {
		dir := t.TempDir()
		made(t, dir, "tpcb,default", 1, change)
		list, err := read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := decides(list); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	made(t, dir, "tpcb,default", 1, nil)
	made(t, dir, "olap,default", 1, func(r *experiment.Result) { r.Host.CPUs = 64 })
	list, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := markdown(list, ""); err == nil || !strings.Contains(err.Error(), "another host") {
		t.Errorf("experiments of two hosts: %v", err)
	}
	if _, err := read(t.TempDir()); err == nil {
		t.Error("a folder without experiments makes a page")
	}
}

// TestPageIsCurrent: docs/benchmarks.md is what its documents say.
func TestPageIsCurrent(t *testing.T) {
	const dir = "../../../docs/benchmarks"
	list, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	notes, err := readNotes(dir)
	if err != nil {
		t.Fatal(err)
	}
	page, err := markdown(list, notes)
	if err != nil {
		t.Fatal(err)
	}
	now, err := os.ReadFile(dir + ".md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page, string(now)); diff != "" {
		t.Errorf("go run ./internal/gen/benchplans docs/benchmarks > docs/benchmarks.md (-made +there):\n%s", diff)
	}
}
