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
			ClockStep: 0.2, CalibrationCPU: 100, CalibrationMemory: 20, CalibrationSync: 40}}
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

// TestDiscarded verifies that each rule discards its block and no other, and says why.
func TestDiscarded(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(r *Run)
		broken bool
	}{
		"other load":        {func(r *Run) { r.Environment.Steal = 2.7 }, false},
		"other load took":   {func(r *Run) { r.Environment.Foreign = 4 }, false},
		"clock":             {func(r *Run) { r.Environment.ClockStep = -3000 }, true},
		"CPU work":          {func(r *Run) { r.Environment.CalibrationCPU = 130 }, false},
		"copying memory":    {func(r *Run) { r.Environment.CalibrationMemory = 30 }, false},
		"fsyncs":            {func(r *Run) { r.Environment.CalibrationSync = 90 }, false},
		"failed":            {func(r *Run) { r.Failed = 1 }, true},
		"wraparound":        {func(r *Run) { r.Environment.Wraparound = true }, true},
		"checkpoints":       {func(r *Run) { r.Environment.Checkpoint = 2 }, true},
		"transactions fail": {func(r *Run) { r.Errors = []string{"deadlock"} }, true},
	} {
		for i := range 2 {
			r := experiment(8, 5)
			c.spoil(&r.Blocks[3].Runs[i])
			r.Judge()
			for i, b := range r.Blocks {
				if (len(b.Discarded) > 0) != (i == 3) || b.LogRatio.Known() == (i == 3) || b.Broken != (c.broken &&
					i == 3) {
					t.Errorf("%s: block %d: %v, ratio %v, broken %v", name, i+1, b.Discarded, b.LogRatio, b.Broken)
				}
			}
			if why := strings.Join(r.Blocks[3].Discarded, "; "); !strings.Contains(why, strings.TrimSuffix(name,
				" fail")) {
				t.Errorf("%s: it says %q", name, why)
			}
			if r.Verdict.Discarded != 1 || r.N != 7 || r.Busy {
				t.Errorf("%s: %d discarded, %d count, busy: %v", name, r.Verdict.Discarded, r.N, r.Busy)
			}
		}
	}
}

// TestRulesAreBlind verifies that what a run measured does not decide whether its block counts, however good or bad it
// is, nor does it matter which configuration it was of.
func TestRulesAreBlind(t *testing.T) {
	r := experiment(8, 5)
	r.Blocks[2].Runs[0].Environment.Steal, r.Blocks[5].Runs[1].Environment.CalibrationCPU = 9, 140
	r.Judge()
	var before []bool
	for _, b := range r.Blocks {
		before = append(before, len(b.Discarded) > 0)
	}
	for i := range r.Blocks {
		r.Blocks[i].Runs[i%2].TPS *= float64(1 + i)
		r.Blocks[i].Runs[0].Config, r.Blocks[i].Runs[1].Config = r.Blocks[i].Runs[1].Config, r.Blocks[i].Runs[0].Config
		r.Blocks[i].Runs[0], r.Blocks[i].Runs[1] = r.Blocks[i].Runs[1], r.Blocks[i].Runs[0]
	}
	r.Judge()
	for i, b := range r.Blocks {
		if got := len(b.Discarded) > 0; got != before[i] {
			t.Errorf("block %d: discarded %v, and %v before its figures were others", b.Number, got, before[i])
		}
	}
	if r.Verdict.Discarded != 2 {
		t.Errorf("%d blocks are discarded", r.Verdict.Discarded)
	}
}

// TestBusyMachine verifies that what disturbs all runs alike counts, that what disturbs more than a third of the blocks
// differently counts too, and that the verdict says so.
func TestBusyMachine(t *testing.T) {
	for name, c := range map[string]struct {
		disturb   func(block, run int) stat.Number
		discarded int
		busy      bool
	}{
		"quiet":             {func(int, int) stat.Number { return 0.1 }, 0, false},
		"always":            {func(int, int) stat.Number { return 7 }, 0, true},
		"now and then":      {func(b, run int) stat.Number { return stat.Number(7 * ((b + run) % 2)) }, 0, true},
		"two of ten blocks": {func(b, run int) stat.Number { return stat.Number(30 * ((10 - b) / 9 * run)) }, 2, false},
		"four of ten": {func(b, run int) stat.Number {
			if b < 4 && run == 0 {
				return 30
			}
			return 0
		}, 0, true},
	} {
		r := experiment(10, 5)
		for i := range r.Blocks {
			for k := range r.Blocks[i].Runs {
				r.Blocks[i].Runs[k].Environment.Steal = c.disturb(i, k)
			}
		}
		r.Judge()
		if r.Verdict.Discarded != c.discarded || r.Busy != c.busy || r.Word != stat.Improved {
			t.Errorf("%s: %d blocks discarded, busy: %v, %s", name, r.Verdict.Discarded, r.Busy, r.Word)
		}
	}
}

// TestNothingMeasured verifies that only an experiment without a block to compare has no verdict.
func TestNothingMeasured(t *testing.T) {
	r := experiment(6, 5)
	for i := range r.Blocks {
		r.Blocks[i].Runs[i%2].Failed = 3
	}
	r.Judge()
	if r.Word != stat.Unsuitable || r.N != 0 {
		t.Errorf("%+v", r.Verdict)
	}
}

// TestUneven verifies that it is seen where the runs of one configuration are disturbed more than those of the other.
func TestUneven(t *testing.T) {
	for _, more := range []float64{0, 4, -4} {
		r := experiment(8, 5)
		for i := range r.Blocks {
			r.Blocks[i].Run("A").Environment.Steal = stat.Number(5 + float64(i%3))
			r.Blocks[i].Run("B").Environment.Steal = stat.Number(5 + more + float64((i+1)%3))
		}
		r.Judge()
		d := r.Disturbed()
		if d.Uneven() != (more != 0) || math.Abs(100*d.Difference-more) > 0.5 || r.Verdict.Discarded != 0 {
			t.Errorf("by %v: %+v, %d discarded", more, d, r.Verdict.Discarded)
		}
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
