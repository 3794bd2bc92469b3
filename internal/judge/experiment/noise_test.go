package experiment

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// planted is what disturbs a host of two CPUs in a simulated experiment.
type planted struct {
	name  string
	taken float64 // mean share of the CPU time that others take while they are at work
	burst float64 // how long they stay at work or away, in runs; 0: they take the same share all the time
	seen  bool    // the kernel counts it as steal or as CPU time of others
	cost  float64 // by how much it slows a load, of its share: 1 where a load needs all CPUs
	hidden
}

// hidden is what no counter shows: a neighbor that takes bandwidth of the memory.
type hidden struct{ share float64 }

var plantedNoises = []planted{
	{name: "quiet"},
	{name: "neighbor of 5 % of a core", taken: 0.025, burst: 0.3, seen: true, cost: 1},
	{name: "neighbor of 20 % of a core", taken: 0.1, burst: 0.3, seen: true, cost: 1},
	{name: "neighbor of 50 % of a core", taken: 0.25, burst: 0.3, seen: true, cost: 1},
	{name: "neighbor of 50 % of a core for minutes", taken: 0.25, burst: 4, seen: true, cost: 1.3},
	{name: "steal", taken: 0.05, burst: 1, seen: true, cost: 1},
	{name: "steady steal", taken: 0.06, seen: true, cost: 1},
	{name: "bandwidth of the memory", burst: 2, hidden: hidden{0.12}},
	{name: "a load that waits for the disk", taken: 0.25, burst: 1, seen: true, cost: 0.1},
}

// quietRuns is by how much two runs deviate on a quiet machine.
const quietRuns = 0.015

// experiment simulates one of n blocks.
func (z planted) experiment(rng *rand.Rand, n int, effect float64) *Result {
	r := &Result{Schema: ResultSchema, Design: DesignRestart, Metric: "tps", Spec: Spec{Margin: 2}}
	atWork, drawn := rng.IntN(2) == 0, uint8(0)
	run := func(label string) Run {
		// the share of the run for which it was at work: it comes and goes once in so many runs
		share := 1.
		if z.burst > 0 {
			share = 0
			for range 20 {
				if rng.Float64() < 1/(20*z.burst) {
					atWork = !atWork
				}
				if atWork {
					share += 1. / 20
				}
			}
		}
		taken := min(z.taken*share*math.Exp(0.2*rng.NormFloat64()), 0.9)
		slow := math.Log1p(-min(z.cost*taken, 0.95)) + math.Log1p(-z.share*share)
		out := quiet(label, 1000*math.Exp(slow+quietRuns*rng.NormFloat64()))
		if label == "B" {
			out.TPS *= math.Exp(effect)
		}
		if z.seen {
			out.Environment.Foreign = stat.Number(0.3 + 100*taken)
		}
		before := share // the calibration before the run sees what was there a moment ago
		out.Environment.CalibrationCPU = stat.Number(100 * math.Exp(0.02*rng.NormFloat64()) * (1 + z.taken*before/2))
		out.Environment.CalibrationMemory = stat.Number(20 * math.Exp(0.05*rng.NormFloat64()) * (1 + 3*z.share*before))
		out.Environment.CalibrationSync = stat.Number(40 * math.Exp(0.3*rng.NormFloat64()))
		return out
	}
	for b := range n {
		for b%OrderGroup == 0 {
			if drawn = uint8(rng.IntN(256)); Orders(drawn) {
				break
			}
		}
		blk := Block{Number: b + 1, Order: OrderIn(drawn, b%OrderGroup)}
		for _, c := range blk.Order {
			blk.Runs = append(blk.Runs, run(string(c)))
		}
		r.Blocks = append(r.Blocks, blk)
	}
	r.Judge()
	return r
}

// TestPlantedNoise verifies the whole of a verdict, with the rules that discard, on machines that are disturbed: of
// experiments without a difference at most 5 % find one, each reaches a verdict, and of those with twice the smallest
// difference that was stated at least 90 % find it.
func TestPlantedNoise(t *testing.T) {
	const reps = 1000
	for _, z := range plantedNoises {
		for _, n := range []int{8, 12} {
			rng := rand.New(rand.NewPCG(11, uint64(n)))
			claims, none, discarded, mde := 0, 0, 0, []float64{}
			for range reps {
				r := z.experiment(rng, n, 0)
				switch r.Word {
				case stat.Improved, stat.Regressed:
					claims++
				case stat.Unsuitable, stat.Indicative:
					none++
				}
				discarded += r.Verdict.Discarded
				mde = append(mde, stat.Log(float64(r.MDE)))
			}
			stated, found := stat.Median(mde), 0
			for range reps {
				if r := z.experiment(rng, n, 2*stated); r.Word == stat.Improved {
					found++
				}
			}
			wrong, power := float64(claims)/reps, float64(found)/reps
			t.Logf("%-40s %2d blocks: %.1f %% false, %.1f %% discarded, without a verdict %d, stated ±%.1f %%, twice "+
				"that "+
				"found in %.1f %%", z.name, n, 100*wrong, 100*float64(discarded)/float64(reps*n), none,
				stat.Percent(stated), 100*power)
			if wrong > 0.064 { // two standard deviations of a thousand above 5 %
				t.Errorf("%s, %d blocks: %.1f %% of experiments without a difference find one", z.name, n, 100*wrong)
			}
			if none > 0 {
				t.Errorf("%s, %d blocks: %d experiments without a verdict", z.name, n, none)
			}
			if power < 0.9 {
				t.Errorf("%s, %d blocks: %.1f %% of differences of twice the stated one are found", z.name, n,
					100*power)
			}
		}
	}
}
