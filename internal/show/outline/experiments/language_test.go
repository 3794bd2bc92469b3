package experiments

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// english are words that no text in another language has, whatever names are in it.
var english = regexp.MustCompile(`(?i)\b(the|is|not|no|of|run|runs|as|or|by|to|was|were|with|only|its|block|blocks|` +
	`each|vs|metric|discarded|measured|started|order|mean|time|load|about|left|seed|from)\b`)

func open(t *testing.T, lang string) *say.Catalogue {
	t.Helper()
	c, err := say.Open(lang)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func others() []string {
	var out []string
	for _, lang := range say.Languages() {
		if lang != say.English {
			out = append(out, lang)
		}
	}
	return out
}

// holds verifies that an outline has no English in it, except for what is to be typed.
func holds(t *testing.T, what string, o outline.Outline) {
	t.Helper()
	for _, b := range o {
		if _, ok := b.(outline.Listing); ok {
			continue
		}
		for _, text := range texts(b) {
			if found := english.FindString(typed.ReplaceAllString(text, "")); found != "" {
				t.Errorf("%s: %q in %q", what, found, text)
			}
		}
	}
}

// typed is what no language changes.
var typed = regexp.MustCompile(`--[a-z-]+( [a-z0-9_]+)?|SET LOCAL|B vs A\b|[a-z_]+ = [a-z0-9]+`)

// texts are those of a block.
func texts(b outline.Block) []string {
	var out []string
	add := func(p outline.Prose) { out = append(out, p.String()) }
	items := func(list []outline.Item) {
		for _, it := range list {
			add(it.Text)
		}
	}
	switch b := b.(type) {
	case outline.Heading:
		add(b.Text)
	case outline.Para:
		add(b.Text)
	case outline.List:
		items(b.Items)
	case outline.Fields:
		for _, f := range b.List {
			out = append(out, f.Name)
			items(f.Items)
		}
	case outline.Rows:
		for _, row := range b.List {
			for _, cell := range row.Cells {
				add(cell)
			}
		}
	case outline.Table:
		out = append(out, b.Caption)
		out = append(out, b.Head...)
		for _, row := range b.Rows {
			for _, cell := range row {
				add(cell)
			}
		}
	case outline.Figure:
		for _, line := range b.Picture.Draw(90, true) {
			add(line)
		}
	}
	return out
}

// results are experiments of each design, with what a document has as English text.
func results() map[string]*experiment.Result {
	run := func(label string, tps float64) experiment.Run {
		return experiment.Run{Config: label, Seconds: 12, Transactions: int64(12 * tps), TPS: tps, Checkpoint: 1.5,
			Latency:     experiment.Latency{Mean: 2, P95: 5, P99: 7},
			Counters:    map[string]float64{experiment.WALBytes: 9e7, experiment.PageTables: 40 << 20},
			Environment: experiment.Environment{CalibrationCPU: 100, CalibrationSync: 40}}
	}
	of := func(changes ...float64) *experiment.Result {
		r := &experiment.Result{Schema: experiment.ResultSchema, Program: "1.2", Started: "2026-11-21T10:00:00Z",
			Ended: "2026-11-21T11:12:00Z", Design: experiment.DesignRestart, Metric: "tps",
			A:        experiment.MeasuredConfiguration{Name: "default"},
			B:        experiment.MeasuredConfiguration{Name: "default+pg:work_mem=64MB"},
			Workload: experiment.MeasuredWorkload{Name: "oltp-rw", Scale: 40, Bytes: 6 << 30, Writes: true},
			Spec: experiment.Spec{Blocks: len(changes), Clients: 8, Jobs: 2, Duration: 12, Warmup: 300, Seed: 42,
				Cache: "warm", Protocol: "prepared", Margin: 2, Rate: 2800, Restore: experiment.RestoreFresh},
			Host: experiment.Host{Line: "db1", Kernel: "6.12.30", CPUs: 2, Memory: 24 << 30, Server: "17.11"}}
		for i, c := range changes {
			r.Blocks = append(r.Blocks, experiment.Block{Number: i + 1, Order: "AB",
				Runs: []experiment.Run{run("A", 4000), run("B", 4000*(1+c/100))}})
		}
		return r
	}
	disturbed := of(4.4, 3.1, 5.2, 4.9, 3.9, 4.2, 2.8, 5.5)
	e := &disturbed.Blocks[1].Runs[0].Environment
	*e = experiment.Environment{Steal: 14.2, Foreign: 31, ClockStep: 3000, CalibrationCPU: 200, CalibrationSync: 200,
		Wraparound: true, Checkpoint: 3}
	disturbed.Blocks[1].Runs[1].Failed = 12
	for _, m := range (&experiment.Configuration{Settings: map[string]string{"fsync": "off", "full_page_writes": "off",
		"synchronous_commit": "off", "autovacuum": "off"}}).Cautions() {
		disturbed.Notes = append(disturbed.Notes, m.English())
	}
	latency := of(-4, -5, -4, -3, -4, -5)
	latency.Metric, latency.Workload.Synthetic = "latency_mean_ms", true
	latency.Spec.Cycles, latency.Spec.Duration = 2, 60
	kept := of(4, -5, 2, -3, 6, -1)
	kept.Design, kept.Spec.Slice, kept.Spec.Restore = experiment.DesignSlices, 5, experiment.RestoreKept
	same := of(0.4, -0.6, 0.2, -0.3, 0.5, -0.2)
	same.Name = AA
	differs := of(3, 3.5, 2.8, 3.2, 3.1, 2.9)
	differs.Name = AA
	number := of(5, 6, 4)
	number.Spec.Duration, number.Spec.Warmup, number.Spec.Count = 0, 0, 100
	number.Spec.Restore = experiment.RestoreShared
	interrupted := of(4, 3)
	interrupted.Ended, interrupted.Blocks[1].Runs = "", interrupted.Blocks[1].Runs[:1]
	out := map[string]*experiment.Result{"disturbed": disturbed, "latency": latency, "kept": kept, "same": same,
		"differs": differs, "number": number, "interrupted": interrupted, "none": of()}
	for _, n := range []int{0, 1, 3} {
		single := of(make([]float64, n)...)
		single.Design, single.B = experiment.DesignSingle, experiment.MeasuredConfiguration{}
		for i := range single.Blocks {
			single.Blocks[i].Order, single.Blocks[i].Runs = "A", single.Blocks[i].Runs[:1]
		}
		out["single"+string(rune('0'+n))] = single
	}
	for _, x := range experiment.Exercises() {
		course := of(5, 6, 4, 5, 6, 5)
		course.Name, course.Notes = x.Name, []string{x.Caution.English()}
		out[x.Name] = course
	}
	return out
}

// TestResultsFollowTheLanguage verifies that what a person reads of an experiment has no English in another language.
func TestResultsFollowTheLanguage(t *testing.T) {
	for _, lang := range others() {
		c := open(t, lang)
		for name, r := range results() {
			r.Judge()
			holds(t, lang+", "+name, Result(r, c, true))
			if p, ok := PictureOf(r, outline.WordsIn(c)); ok && english.MatchString(typed.ReplaceAllString(
				p.Title+" "+p.Caption, "")) {
				t.Errorf("%s, %s: %s %s", lang, name, p.Title, p.Caption)
			}
		}
	}
}

// TestDesignsFollowTheLanguage is the same of experiments before they begin.
func TestDesignsFollowTheLanguage(t *testing.T) {
	for _, lang := range others() {
		c := open(t, lang)
		for name, r := range results() {
			e := &experiment.Experiment{Name: r.Name, Design: r.Design, Metric: r.Metric, Spec: r.Spec,
				Workload: "tpcb", Scale: 100, Server: "PostgreSQL 17.2", Dir: "prove-1", Scratch: "/srv/scratch",
				Host: experiment.Host{Memory: int64(64 * unit.GB)},
				A:    experiment.Configuration{Name: "default", Settings: map[string]string{"port": "1", "x.y": "2"}}}
			e.A.OmitUnsupported(func(string) bool { return false })
			d := document.Design{Experiment: e, Differences: []experiment.Difference{{Address: "pg:jit", A: "on"},
				{Address: "pg:work_mem", B: "64MB", Default: "4MB"}},
				Estimation: experiment.Estimation{Time: 80 * time.Minute, Disk: unit.GB, Free: 9 * unit.GB,
					Memory: unit.GB, Held: unit.GB, Fits: name == "same", Open: r.Spec.Numbered()}}
			for what := range partWords {
				d.Estimation.Parts = append(d.Estimation.Parts, experiment.Part{What: what, Time: time.Minute})
			}
			holds(t, lang+", "+name, Design(d, c))
		}
	}
}

// TestProgress holds the line of a step, in English and in other languages.
func TestProgress(t *testing.T) {
	for want, ev := range map[string]experiment.Event{
		"load": {Step: "load"},
		"block 3 of 8, B, measure, about 12 min left": {Step: "measure", Block: 3, Blocks: 8, Config: "B",
			Left: 12 * time.Minute},
		"block 3 of 8 completed, about 1 h 5 min left": {Block: 3, Blocks: 8, Ended: true, Left: 65 * time.Minute},
		"block 3 of 8 discarded: run 1: 2 transactions failed; run 2: a vacuum against wraparound was at work": {
			Block: 3, Blocks: 8, Ended: true, Discarded: []string{"run 1: 2 transactions failed",
				"run 2: a vacuum against wraparound was at work"}},
	} {
		if got := Progress(ev).In(nil); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		for _, lang := range others() {
			if got := Progress(ev).In(open(t, lang)); english.MatchString(got) || strings.Contains(got, "{") {
				t.Errorf("%s: %q", lang, got)
			}
		}
	}
}
