package web

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/html"
)

// experiment has one block for each change in percent of B against A.
func measured(changes ...float64) *experiment.Result {
	r := &experiment.Result{
		Schema: experiment.ResultSchema, Program: "1.2", Started: "2026-11-21T10:00:00Z", Ended: "2026-11-21T11:12:00Z",
		Design: experiment.DesignRestart, Metric: "tps",
		A: experiment.MeasuredConfiguration{Name: "default"},
		B: experiment.MeasuredConfiguration{Name: "default+pg:work_mem=64MB",
			Settings: []experiment.Setting{{Address: "pg:work_mem", Value: "64MB"}}},
		Workload: experiment.MeasuredWorkload{Name: "oltp-rw", Scale: 40, Writes: true,
			Command: "pgbench -n -M prepared -c 8 bench"},
		Spec: experiment.Spec{Blocks: len(changes), Clients: 8, Duration: 120, Warmup: 300, Seed: 42, Cache: "warm",
			Protocol: "prepared", Margin: 2},
		Host: experiment.Host{Line: "db1", Kernel: "6.12.30", CPUs: 2, Memory: 24 << 30, Server: "17.11",
			Pgbench: "pgbench 17.11"},
	}
	for i, c := range changes {
		run := func(label string, tps float64) experiment.Run {
			return experiment.Run{Config: label, Seconds: 120, Transactions: int64(120 * tps), TPS: tps, Steady: true,
				Counters:    map[string]float64{experiment.WALBytes: 9e7},
				Environment: experiment.Environment{CalibrationCPU: 100, CalibrationSync: 40}}
		}
		r.Blocks = append(r.Blocks, experiment.Block{Number: i + 1, Order: "AB",
			Runs: []experiment.Run{run("A", 4000), run("B", 4000*(1+c/100))}})
	}
	return r
}

// TestProvePages holds the page of each kind of outcome, and that blocks are drawn
// once each where they may be shown.
func TestProvePages(t *testing.T) {
	improved := measured(4.4, 3.1, 5.2, 4.9, 3.9, 4.2)
	discarded := measured(4.4, 3.1, 5.2, 40, 3.9, 4.2, 5)
	discarded.Blocks[3].Runs[1].Environment.Steal = 14.2
	wide := measured(515, 480, 530) // an interval of three blocks is much wider than they are
	interrupted := measured(4.4, 3.1, 50)
	interrupted.Ended, interrupted.Spec.Blocks = "", 8
	single := measured(0, 0, 0)
	single.Design, single.B = experiment.DesignSingle, experiment.MeasuredConfiguration{}
	for i := range single.Blocks {
		single.Blocks[i].Order, single.Blocks[i].Runs = "A", single.Blocks[i].Runs[:1]
	}
	course := measured(515, 480, 530, 501, 495, 522)
	course.Name = "fsync-off"
	hostile := measured(5, 6, 4, 5, 6, 5)
	hostile.A.Name, hostile.Notes, hostile.Workload.Command = "<script>alert(1)</script>\x1b[31m",
		[]string{"</p><img src=x onerror=y>"}, "pgbench </code></pre><script>x</script>"
	for name, c := range map[string]struct {
		r     *experiment.Result
		drawn int
	}{"improved": {improved, 6}, "discarded": {discarded, 6}, "wide": {wide, 3}, "interrupted": {interrupted, 0},
		"single": {single, 0}, "course": {course, 6}, "hostile": {hostile, 6}} {
		t.Run(name, func(t *testing.T) {
			c.r.Judge()
			p, err := ProvePage(c.r, View{})
			text := pageGolden(t, "prove/"+name, p, err)
			if n := strings.Count(text, "<svg"); n != min(c.drawn, 1) {
				t.Errorf("%d pictures", n)
			}
			// Each dot is a circle, and so is the middle of the interval.
			want := c.drawn
			if strings.Contains(text, ">95% CI</text>") {
				want++
			}
			if n := strings.Count(text, `class="f1"`); n != want {
				t.Errorf("%d dots, want %d", n, want)
			}
			for _, bad := range []string{"<script", "<img"} {
				if strings.Contains(text, bad) {
					t.Errorf("%q is let through", bad)
				}
			}
		})
	}
	text, err := Prove(interrupted, View{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"4,176", "4176", "4000", "+4.4", "+50"} {
		if strings.Contains(string(text), bad) {
			t.Errorf("%s is shown before the end", bad)
		}
	}
}

// TestExperimentsShareAPage verifies that names of pictures do not clash.
func TestExperimentsShareAPage(t *testing.T) {
	one, two := measured(4.4, 3.1, 5.2, 4.9, 3.9, 4.2), measured(1, 2, 1, 2, 1, 2)
	two.Spec.Seed = 43
	var p Page
	p.Title = "Experiments"
	for _, lang := range say.Languages() {
		words, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		p.Body = ""
		for _, r := range []*experiment.Result{one, two} {
			r.Judge()
			body, err := Prove(r, View{Words: words})
			if err != nil {
				t.Fatal(err)
			}
			p.Body = html.Join(p.Body, body)
		}
		sound(t, p)
	}
}
