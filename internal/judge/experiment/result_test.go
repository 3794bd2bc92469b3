package experiment

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// quiet is a run that nothing disturbed.
func quiet(label string, tps float64) Run {
	return Run{Config: label, Seconds: 60, Transactions: int64(60 * tps), TPS: tps,
		Latency:  Latency{Mean: stat.Number(8000 / tps)},
		Counters: map[string]float64{WALBytes: 60 * tps * 500, TempBytes: 0},
		Environment: Environment{Steal: 0.1, Foreign: 0.5, PSICPU: unknown, PSIIO: unknown, PSIMemory: unknown,
			ClockStep: 0.2, CalibrationCPU: 100, CalibrationSync: 40}}
}

// experiment has n blocks in which B is faster by so many percent, or a little more or less.
func experiment(n int, percent float64) *Result {
	r := &Result{Schema: ResultSchema, Design: DesignRestart, Metric: "tps", Spec: Spec{Margin: 2}}
	for i := range n {
		a := 1000 + 40*math.Sin(float64(i))
		b := a * (1 + percent/100 + 0.004*math.Cos(float64(3*i)))
		blk := Block{Number: i + 1, Order: "AB", Runs: []Run{quiet("A", a), quiet("B", b)}}
		if i%2 == 1 {
			blk.Order, blk.Runs[0], blk.Runs[1] = "BA", blk.Runs[1], blk.Runs[0]
		}
		r.Blocks = append(r.Blocks, blk)
	}
	return r
}

func TestJudge(t *testing.T) {
	r := experiment(8, 5)
	r.Judge()
	if r.Word != stat.Improved || r.N != 8 || r.Verdict.Discarded != 0 || math.Abs(float64(r.Effect)-5) > 0.5 {
		t.Errorf("%+v", r.Verdict)
	}
	r = experiment(8, 0)
	r.Judge()
	if r.Word != stat.Equivalent {
		t.Errorf("%+v", r.Verdict)
	}
	r = experiment(8, 5)
	r.Metric = "latency_mean_ms"
	r.Judge()
	if r.Word != stat.Improved || r.Effect > 0 {
		t.Errorf("a lower latency is no improvement: %+v", r.Verdict)
	}
	// The same WAL a transaction and no temporary files: the first is compared,
	// the second says nothing.
	names := map[string]Compared{}
	for _, c := range r.Secondary {
		names[c.Metric] = c
	}
	if c, ok := names["wal_bytes_per_tx"]; !ok || math.Abs(float64(c.A)-500) > 1 || math.Abs(float64(c.Effect)) > 0.01 {
		t.Errorf("WAL a transaction: %+v", r.Secondary)
	}
	if _, ok := names["temp_bytes_per_tx"]; ok {
		t.Error("nothing is compared with nothing")
	}
	if c := names["tps"]; c.P <= 0 || c.P > 0.05 {
		t.Errorf("tps is told beside the latency: %+v", c)
	}
}

// TestGates: each gate makes its block discarded and no other, and says why.
func TestGates(t *testing.T) {
	for name, spoil := range map[string]func(r *Run){
		"hypervisor":        func(r *Run) { r.Environment.Steal = 2.5 },
		"other programs":    func(r *Run) { r.Environment.Foreign = 4 },
		"clock":             func(r *Run) { r.Environment.ClockStep = -3000 },
		"CPU work":          func(r *Run) { r.Environment.CalibrationCPU = 130 },
		"fsyncs":            func(r *Run) { r.Environment.CalibrationSync = 90 },
		"failed":            func(r *Run) { r.Failed = 1 },
		"wraparound":        func(r *Run) { r.Environment.Wraparound = true },
		"checkpoints":       func(r *Run) { r.Environment.Checkpoint = 2 },
		"transactions fail": func(r *Run) { r.Errors = []string{"deadlock"} },
	} {
		for i := range 2 {
			r := experiment(8, 5)
			spoil(&r.Blocks[3].Runs[i])
			r.Judge()
			word, _, _ := strings.Cut(name, " ")
			for i, b := range r.Blocks {
				if (len(b.Discarded) > 0) != (i == 3) || b.LogRatio.Known() == (i == 3) {
					t.Errorf("%s: block %d: %v, ratio %v", name, i+1, b.Discarded, b.LogRatio)
				}
			}
			if why := strings.Join(r.Blocks[3].Discarded, "; "); !strings.Contains(why, word) {
				t.Errorf("%s: it says %q", name, why)
			}
			if r.Verdict.Discarded != 1 || r.N != 7 {
				t.Errorf("%s: %d discarded, %d count", name, r.Verdict.Discarded, r.N)
			}
		}
	}
}

// TestGatesAreBlind: what a run measured does not move its gate, however good or
// bad it is, nor does it matter which configuration it was of.
func TestGatesAreBlind(t *testing.T) {
	r := experiment(8, 5)
	for i := range r.Blocks {
		r.Blocks[i].Runs[i%2].TPS *= float64(1 + i)
		r.Blocks[i].Runs[0].Config, r.Blocks[i].Runs[1].Config = r.Blocks[i].Runs[1].Config, r.Blocks[i].Runs[0].Config
	}
	r.Judge()
	if r.Verdict.Discarded != 0 {
		t.Errorf("%d blocks are discarded", r.Verdict.Discarded)
	}
}

// TestTooMuchElse: more than one block in five discarded is no verdict.
func TestTooMuchElse(t *testing.T) {
	r := experiment(10, 5)
	for i := range 3 {
		r.Blocks[i].Runs[0].Environment.Steal = 9
	}
	r.Judge()
	if r.Word != stat.Unsuitable {
		t.Errorf("%+v", r.Verdict)
	}
}

// TestRead: a document is judged again when it is read; a verdict edited into it has no effect; an unfinished block
// neither counts nor is discarded.
func TestRead(t *testing.T) {
	r := experiment(8, 0.1)
	r.Blocks = append(r.Blocks, Block{Number: 9, Order: "BA", Runs: []Run{quiet("B", 5000)}})
	r.Judge()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodeResult([]byte(strings.Replace(string(b), `"EQUIVALENT"`, `"IMPROVED"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if again.Word != stat.Equivalent || again.N != 8 || again.Verdict.Discarded != 0 {
		t.Errorf("%+v", again.Verdict)
	}
	for _, field := range []string{"schema", "verdict", "metric", "effect_pct", "ci_low_pct", "ci_high_pct", "mde_pct",
		"blocks", "void_blocks"} {
		var doc map[string]any
		if err := json.Unmarshal(b, &doc); err != nil {
			t.Fatal(err)
		}
		if _, ok := doc[field]; !ok {
			t.Errorf("the document has no %s", field)
		}
	}
	for _, bad := range []string{"", "{}", `{"schema":"pgfettle.result/9"}`,
		`{"schema":"pgfettle.result/1","metric":"beauty"}`, "[1]"} {
		if _, err := DecodeResult([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func FuzzDecode(f *testing.F) {
	b, err := json.Marshal(experiment(6, 1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"schema":"pgfettle.result/1","metric":"tps","blocks":[{"runs":[{},{}]},{"discarded":["x"]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeResult(b)
		if err != nil {
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("what was read is not written: %v", err)
		}
	})
}
