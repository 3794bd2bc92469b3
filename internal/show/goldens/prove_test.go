package goldens

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	generate "github.com/pgfettle/pgfettle/internal/gen/jsonschema"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	showjson "github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/test/golden"
)

// measuredRun is a run that nothing disturbed.
func measuredRun(label string, tps float64) experiment.Run {
	unknown := stat.Number(math.NaN())
	return experiment.Run{Config: label, Started: "2026-11-21T10:00:00Z", Seconds: 120, Transactions: int64(120 * tps),
		TPS: tps, Steady: true, Checkpoint: 1.5 + tps/1000,
		Latency: experiment.Latency{Mean: stat.Number(8000 / tps), SD: unknown, P50: unknown,
			P95: stat.Number(20000 / tps), P99: stat.Number(30000 / tps), Max: unknown},
		Counters: map[string]float64{experiment.WALBytes: 120 * tps * (500 + tps/20), experiment.TempBytes: 0,
			experiment.PageTables: 40 << 20},
		Environment: experiment.Environment{Steal: 0.1, Foreign: 0.5, PSICPU: 12, PSIIO: 3.5, PSIMemory: unknown,
			ClockStep: 0.2, CalibrationCPU: 100, CalibrationMemory: 20, CalibrationSync: 40}}
}

// experimentOf has one block for each change in percent of B against A.
func experimentOf(changes ...float64) *experiment.Result {
	r := &experiment.Result{
		Schema: experiment.ResultSchema, Program: "1.2", Started: "2026-11-21T10:00:00Z", Ended: "2026-11-21T11:12:00Z",
		Design: experiment.DesignRestart, Metric: "tps",
		A: experiment.MeasuredConfiguration{Name: "default"},
		B: experiment.MeasuredConfiguration{Name: "default+pg:work_mem=64MB,jit=off",
			Settings: []experiment.Setting{{Address: "pg:jit", Value: "off"}, {Address: "pg:work_mem", Value: "64MB"}}},
		Workload: experiment.MeasuredWorkload{Name: "oltp-rw", Scale: 40, Bytes: 6 << 30, Writes: true,
			Command: "pgbench -n -M prepared -c 8 -j 2 -T 120 -f oltp-rw.sql bench"},
		Spec: experiment.Spec{Blocks: len(changes), Clients: 8, Jobs: 2, Duration: 120, Warmup: 300, Seed: 42,
			Cache: "warm", Protocol: "prepared", Margin: 2},
		Host: experiment.Host{Line: "db1", Kernel: "6.12.30", CPUs: 2, Memory: 24 << 30, Server: "17.11",
			Pgbench: "pgbench 17.11"},
	}
	begun := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for i, c := range changes {
		a := 4000 + 40*math.Sin(float64(i))
		b := experiment.Block{Number: i + 1, Order: "AB", Seed: uint64(100 + i),
			Runs: []experiment.Run{measuredRun("A", a), measuredRun("B", a*(1+c/100))}}
		if i%2 == 1 {
			b.Order, b.Runs[0], b.Runs[1] = "BA", b.Runs[1], b.Runs[0]
		}
		for j := range b.Runs { // a block in nine minutes
			b.Runs[j].Started = begun.Add(time.Duration(18*i+9*j) * time.Minute / 2).Format(time.RFC3339)
		}
		r.Blocks = append(r.Blocks, b)
	}
	return r
}

// proveCases are the experiments that the goldens show.
func proveCases() map[string]*experiment.Result {
	cases := map[string]*experiment.Result{
		"improved":     experimentOf(4.4, 3.1, 5.2, 4.9, 3.9, 4.2, 2.8, 5.5),
		"small":        experimentOf(0.9, 1.1, 1.2, 0.8, 1.0, 0.7, 1.3, 0.9),
		"equivalent":   experimentOf(0.4, -0.6, 0.2, -0.3, 0.5, -0.2, 0.1, -0.4),
		"inconclusive": experimentOf(4, -5, 2, -3, 6, -1, 3, -4),
		"indicative":   experimentOf(5, 6, 4),
		"halved":       experimentOf(-70, -68, -71, -69, -67, -70),
		"far":          experimentOf(-90, 400, -60, 310, 20, -85, 150, 90),
		"doubled":      experimentOf(88, 92, 95, 90, 94, 91),
		"collapsed":    experimentOf(-99.2, -98.9, -99.4, -99.1, -99.3, -99),
		"manifold":     experimentOf(515, 480, 530, 501, 495, 522),
		"discarded":    experimentOf(4.4, 3.1, 5.2, 40, 3.9, 4.2, 2.8, 5.5, 4.1),
		"unsuitable":   experimentOf(4.4, 3.1, 5.2, 40, 3.9, -20, 2.8),
		"busy":         experimentOf(4.4, -3.1, 5.2, 14.9, 3.9, 7.2, -2.8, 5.5),
		"further":      experimentOf(4, -5, 2, -3, 6, -1, 3, -4, 1, -2),
		"interrupted":  experimentOf(4.4, 3.1, 50),
		"none":         experimentOf(),
		"aa":           experimentOf(0.4, -0.6, 0.2, -0.3, 0.5, -0.2),
		"aa_differs":   experimentOf(3, 3.5, 2.8, 3.2, 3.1, 2.9),
	}
	regressed := experimentOf(9, 7, 8, 10, 8.5, 7.7)
	regressed.Metric = "latency_p95_ms"
	for i := range regressed.Blocks { // the p95 of a run follows its rate; here B is slower
		run := regressed.Blocks[i].Run("B")
		run.Latency.P95 = regressed.Blocks[i].Run("A").Latency.P95 * 1.09
		run.Latency.P95 += stat.Number(float64(i) / 100)
	}
	regressed.Spec.Rate = 2800
	cases["regressed"] = regressed

	cases["discarded"].Blocks[3].Runs[1].Environment.Steal = 14.2
	for i := range cases["unsuitable"].Blocks {
		cases["unsuitable"].Blocks[i].Runs[i%2].Failed = 12
	}
	for i := range cases["busy"].Blocks { // the runs of B lose more, and both lose much
		for k := range cases["busy"].Blocks[i].Runs {
			cases["busy"].Blocks[i].Runs[k].Environment.Foreign = stat.Number(10 + i)
		}
		cases["busy"].Blocks[i].Run("B").Environment.Steal = stat.Number(3 + i%3)
	}
	cases["further"].Spec.Extended = 1
	cases["interrupted"].Ended, cases["interrupted"].Spec.Blocks = "", 8
	cases["interrupted"].Blocks[2].Runs = cases["interrupted"].Blocks[2].Runs[:1]
	cases["none"].Ended = ""
	for _, name := range []string{"aa", "aa_differs"} {
		cases[name].Name, cases[name].B = experiments.AA, cases[name].A
	}
	course := experimentOf(515, 480, 530, 501, 495, 522)
	course.Name, course.Workload.Name = "fsync-off", "tpcb"
	course.B = experiment.MeasuredConfiguration{Name: "default+pg:fsync=off",
		Settings: []experiment.Setting{{Address: "pg:fsync", Value: "off"}}}
	course.Blocks[1].Runs[0].Steady = false
	cases["course"] = course

	single := experimentOf(0, 0, 0, 0)
	single.Design, single.B, single.Metric = experiment.DesignSingle, experiment.MeasuredConfiguration{}, "tps"
	for i := range single.Blocks {
		b := &single.Blocks[i]
		b.Order, b.Runs = "A", []experiment.Run{*b.Run("A")}
	}
	single.Blocks[2].Runs[0].Environment.Foreign = 9
	cases["single"] = single

	cycles := experimentOf(4.4, 3.1, 5.2, 4.9, 3.9, 4.2)
	cycles.Spec.Cycles, cycles.Spec.Duration, cycles.Spec.Restore = 2, 1, "fresh"
	for i := range cycles.Blocks {
		for k := range cycles.Blocks[i].Runs {
			run := &cycles.Blocks[i].Runs[k]
			run.Cycles, run.Seconds = 2, 12+float64(i)
			run.Transactions = int64(run.TPS * run.Seconds)
			run.Counters[experiment.WALBytes] *= run.Seconds / 120
		}
	}
	cycles.Blocks[3].Runs[1].Cycles = 1
	cases["cycles"] = cycles

	number := experimentOf(4.4, 3.1, 5.2, 4.9, 3.9, 4.2)
	number.Spec.Duration, number.Spec.Warmup, number.Spec.Count, number.Spec.Jobs = 0, 0, 100, 8
	for i := range number.Blocks {
		for k := range number.Blocks[i].Runs {
			number.Blocks[i].Runs[k].Steady = false
		}
	}
	cases["number"] = number

	kept := experimentOf(4.4, 3.1, 5.2, 4.9, 3.9, 4.2)
	kept.Spec.Restore, kept.Spec.Slice, kept.Spec.Duration, kept.Design = "kept", 5, 40, experiment.DesignSlices
	cases["kept"] = kept

	hostile := experimentOf(5, 6, 4, 5, 6, 5)
	hostile.A.Name, hostile.Notes = "\x1b[31mred\nline", []string{"\x1b]0;title\a"}
	hostile.Workload.Name = "a b'; rm -rf /"
	hostile.Workload.Synthetic = true
	cases["hostile"] = hostile
	return cases
}

// TestResultText renders every verdict, plain and narrow with colors, and holds the JSON to its schema.
func TestResultText(t *testing.T) {
	for name, r := range proveCases() {
		t.Run(name, func(t *testing.T) {
			r.Judge()
			var text, narrow, doc bytes.Buffer
			if err := term.Write(&text, experiments.Result(r, nil, false), term.Style{Width: 100}); err != nil {
				t.Fatal(err)
			}
			if err := term.Write(&narrow, experiments.Result(r, nil, false),
				term.Style{Width: 50, Color: true, ASCII: true}); err != nil {
				t.Fatal(err)
			}
			proveGolden(t, name, text.Bytes())
			if name == "improved" {
				proveGolden(t, name+"_narrow", narrow.Bytes())
			}
			if err := showjson.Result(&doc, r); err != nil {
				t.Fatal(err)
			}
			validResult(t, doc.Bytes())
			again, err := experiment.DecodeResult(doc.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if again.Word != r.Word || len(again.Blocks) != len(r.Blocks) {
				t.Errorf("read again: %s with %d blocks", again.Word, len(again.Blocks))
			}
			if strings.ContainsAny(text.String(), "\x1b\a") {
				t.Error("what came from outside acts upon the terminal")
			}
		})
	}
}

// TestPeekingIsNotShown verifies that an experiment that is not at its end shows neither a ratio nor the figures of its
// configurations.
func TestPeekingIsNotShown(t *testing.T) {
	r := proveCases()["interrupted"]
	r.Judge()
	var b bytes.Buffer
	if err := term.Write(&b, experiments.Result(r, nil, false), term.Style{Width: 100}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"4.4 %", "+3.1", "4,176", "4,000", "●"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q is shown before the end:\n%s", bad, b.String())
		}
	}
}

// TestVerdictStandsFirst verifies that each text begins with its verdict.
func TestVerdictStandsFirst(t *testing.T) {
	for name, want := range map[string]string{"improved": "IMPROVED: +4.2% tps (95% CI ", "regressed": "REGRESSED: +",
		"equivalent": "EQUIVALENT: No difference", "inconclusive": "INCONCLUSIVE: No difference in tps detected",
		"indicative": "INDICATIVE: ", "unsuitable": "UNSUITABLE: No verdict",
		"interrupted": "INTERRUPTED: 2 blocks of 8", "single": "MEASURED: "} {
		r := proveCases()[name]
		r.Judge()
		var b bytes.Buffer
		if err := term.Write(&b, experiments.Result(r, nil, false), term.Style{Width: 100}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), want) {
			t.Errorf("%s begins %.80q, want %q", name, b.String(), want)
		}
	}
}

func proveGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "prove", name+".txt")
	got = bytes.ReplaceAll(got, []byte("\x1b"), []byte("␛"))
	if golden.Updating() {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// validResult holds a document to its schema. Figures in it may be null, and
// nothing else.
func validResult(t *testing.T, doc []byte) {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(schemaFile("result"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Error(err)
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(doc, &top); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"blocks", "a", "workload", "spec"} {
		if string(top[name]) == "null" || top[name] == nil {
			t.Errorf("%s is null", name)
		}
	}
}

// TestResultSchema holds the published schema to the types that it is made of,
// and that it refuses what is none.
func TestResultSchema(t *testing.T) {
	want, err := generate.Render(generate.Document{
		Title: "result of an experiment with PostgreSQL",
		Description: "Every run as it was measured, in the order in which they were run, and the verdict over them. " +
			"A figure that is not known is null. Changes are of B against A, in per cent.",
		Type:    reflect.TypeFor[experiment.Result](),
		Version: experiment.ResultSchema,
		File:    "result.schema.json",
		Module:  "github.com/pgfettle/pgfettle",
		Source:  os.DirFS(filepath.Join("..", "..", "..")),
		Enums: map[string][]any{
			"stat.Word": {"", stat.Improved, stat.Regressed, stat.Equivalent, stat.Inconclusive, stat.Indicative,
				stat.Unsuitable},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if golden.Updating() {
		if err := os.WriteFile(schemaFile("result"), want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(schemaFile("result"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("schema/result.schema.json is not what the types say: run this test with -update")
	}
	s, err := jsonschema.NewCompiler().Compile(schemaFile("result"))
	if err != nil {
		t.Fatal(err)
	}
	r := proveCases()["improved"]
	r.Judge()
	var doc bytes.Buffer
	if err := showjson.Result(&doc, r); err != nil {
		t.Fatal(err)
	}
	for old, bad := range map[string]string{
		`"pgfettle.result/1"`: `"pgfettle.result/2"`, `"verdict": "IMPROVED"`: `"verdict": "BETTER"`,
		`"metric": "tps"`: `"metric": 1`,
		`"effect_pct": `:  `"effect_pct": "x", "effect": `, `"blocks": [`: `"more": 1, "blocks": [`,
	} {
		text := strings.Replace(doc.String(), old, bad, 1)
		if text == doc.String() {
			t.Fatalf("%s does not stand in the document", old)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if s.Validate(v) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
}
