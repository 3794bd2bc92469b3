package serve

import (
	"encoding/json"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/test/page"
)

// experimentOf is a finished experiment in which B is faster by so many percent.
func experimentOf(name string, percent ...float64) *experiment.Result {
	unknown := stat.Number(math.NaN())
	run := func(label string, tps float64) experiment.Run {
		return experiment.Run{Config: label, Seconds: 120, Transactions: int64(120 * tps), TPS: tps,
			Latency: experiment.Latency{Mean: stat.Number(8000 / tps), SD: unknown, P50: unknown, P95: unknown,
				P99: unknown, Max: unknown},
			Environment: experiment.Environment{Steal: 0.1, Foreign: 0.5, PSICPU: 12, PSIIO: 3.5, PSIMemory: unknown,
				ClockStep: 0.2, CalibrationCPU: 100, CalibrationSync: 40}}
	}
	r := &experiment.Result{Schema: experiment.ResultSchema, Program: "1.2", Name: name,
		Started: "2026-11-21T10:00:00Z", Ended: "2026-11-21T11:12:00Z", Design: experiment.DesignRestart, Metric: "tps",
		A: experiment.MeasuredConfiguration{Name: "default"},
		B: experiment.MeasuredConfiguration{Name: "plan:<b>oltp</b>",
			Settings: []experiment.Setting{{Address: "pg:jit", Value: "off"}}},
		Workload: experiment.MeasuredWorkload{Name: "oltp-rw", Scale: 40, Command: "pgbench -c 8"},
		Spec:     experiment.Spec{Blocks: len(percent), Clients: 8, Duration: 120, Margin: 2},
		Host:     experiment.Host{Line: "db1", CPUs: 2, Memory: 24 << 30, Server: "17.11"}}
	for i, p := range percent {
		a := 4000 + 40*math.Sin(float64(i))
		b := experiment.Block{Number: i + 1, Order: "AB", Runs: []experiment.Run{run("A", a), run("B", a*(1+p/100))}}
		if i%2 == 1 {
			b.Order, b.Runs[0], b.Runs[1] = "BA", b.Runs[1], b.Runs[0]
		}
		r.Blocks = append(r.Blocks, b)
	}
	r.Judge()
	return r
}

func put(t *testing.T, name string, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			err = os.WriteFile(name, b, 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestExperiments verifies that the experiments of the directory are listed and shown, what is wrong with one is
// reported without hiding the others, and nothing outside the directory is accessible.
func TestExperiments(t *testing.T) {
	outside := t.TempDir()
	put(t, filepath.Join(outside, "secret", experiment.ResultFile), experimentOf("outside", 1, 2, 3, 1, 2, 3))
	dir := filepath.Join(outside, "experiments")
	put(t, filepath.Join(dir, "20261121-100000", experiment.ResultFile), experimentOf("", 4.4, 3.1, 5.2, 4.9, 3.9, 4.2))
	put(t, filepath.Join(dir, "alone.json"), experimentOf("fsync-off", 41, 40, 42, 43, 41, 40))
	put(t, filepath.Join(dir, "broken", experiment.ResultFile), "no result")
	put(t, filepath.Join(dir, "empty", "other.txt"), "")
	put(t, filepath.Join(dir, ".hidden", experiment.ResultFile), experimentOf("hidden", 1, 2, 3))
	put(t, filepath.Join(dir, "<img src=x>", experiment.ResultFile), experimentOf("named", 1, 1, 1, 1, 1, 1))
	for link, to := range map[string]string{"away": filepath.Join(outside, "secret"), "up": "../secret",
		"etc": "/etc"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	h, _ := started(t, func(o *Options) { o.Experiments = dir })
	for range 2 { // the second time from what was kept
		r := get(t, h.URL+"/experiments")
		for _, p := range page.Problems([]byte(r.body), false) {
			t.Error(p)
		}
		for _, want := range []string{`href="/experiments/20261121-100000"`,
			"oltp-rw: default vs. plan:&lt;b&gt;oltp&lt;/b&gt;", "IMPROVED, &#43;4.3% (",
			`href="/experiments/alone.json"`, "fsync-off (oltp-rw", "broken", "&lt;img src=x&gt;"} {
			if !strings.Contains(r.body, want) {
				t.Errorf("it lacks %q:\n%s", want, r.body)
			}
		}
		for _, no := range []string{"hidden", "outside", "empty", "<img", "other.txt"} {
			if strings.Contains(r.body, no) {
				t.Errorf("it has %q:\n%s", no, r.body)
			}
		}
	}
	for id, want := range map[string]int{
		"20261121-100000": 200, "alone.json": 200, "%3Cimg%20src=x%3E": 200, "broken": 422,
		"empty": 404, ".hidden": 404, "nothing": 404, "away": 404, "up": 404, "etc": 404, "..": 404, "%2e%2e": 404,
		"..%2fsecret": 404, "%2fetc": 404, "20261121-100000%00": 404,
		"20261121-100000%2fresult.json": 404, "other.txt": 404,
	} {
		r := get(t, h.URL+"/experiments/"+id)
		if r.StatusCode == http.StatusTemporaryRedirect || r.StatusCode == http.StatusMovedPermanently {
			continue // .. is resolved by the library, to a page of ours
		}
		if r.StatusCode != want {
			t.Errorf("%s: %s, want %d\n%s", id, r.Status, want, r.body)
		}
		for _, p := range page.Problems([]byte(r.body), false) {
			t.Errorf("%s: %s", id, p)
		}
		if strings.Contains(r.body, outside) || strings.Contains(r.body, "<b>oltp") {
			t.Errorf("%s: it tells too much:\n%s", id, r.body)
		}
	}
}
