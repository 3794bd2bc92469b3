package stat

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// noise is what disturbs the runs of an experiment, in their order.
type noise struct {
	name  string
	quiet float64 // independent deviation of a run
	drift float64 // deviation of a slow wave, correlated 0.9 from run to run
	trend float64 // change of each run against the one before
}

// The noises of measured experiments: runs of pgbench deviate by 1 to 5 %, and
// machines grow slower and faster, and tables bloat.
var noises = []noise{
	{"quiet", 0.02, 0, 0},
	{"drift", 0.02, 0.04, 0},
	{"trend", 0.02, 0, -0.005},
	{"drift and trend", 0.02, 0.04, -0.005},
}

// experiment makes the log ratios of n blocks as the runner orders them: by lot, with at least two of each order among
// eight.
func (z noise) experiment(rng *rand.Rand, n int, effect float64) []float64 {
	wave, i := z.drift*rng.NormFloat64(), 0
	run := func() float64 {
		wave = 0.9*wave + math.Sqrt(1-0.9*0.9)*z.drift*rng.NormFloat64()
		i++
		return wave + z.trend*float64(i) + z.quiet*rng.NormFloat64()
	}
	y := make([]float64, n)
	drawn := 0
	for b := range y {
		for b%8 == 0 {
			drawn = rng.IntN(256)
			if n := bits.OnesCount(uint(drawn)); n >= 2 && n <= 6 {
				break
			}
		}
		one, two := run(), run()
		if drawn>>(b%8)&1 == 0 {
			y[b] = two - one + effect
		} else {
			y[b] = one - two + effect
		}
	}
	return y
}

func claims(w Word) bool { return w == Improved || w == Regressed }

// TestFalsePositives: of experiments without a difference the whole procedure
// calls between 3 and 7 % one, whatever the noise. (A thousand more or less is
// 0.3 points.)
func TestFalsePositives(t *testing.T) {
	const reps = 4000
	for _, z := range noises {
		for _, n := range []int{8, 12} {
			rng := rand.New(rand.NewPCG(1, 2))
			hits := 0
			for range reps {
				if claims(Judge(z.experiment(rng, n, 0), Question{HigherIsBetter: true}).Word) {
					hits++
				}
			}
			share := float64(hits) / reps
			t.Logf("%-16s %2d blocks: %.1f %% false positives", z.name, n, 100*share)
			if share < 0.03 || share > 0.07 {
				t.Errorf("%s, %d blocks: %.1f %% of experiments without a difference are called one", z.name,
					n, 100*share)
			}
		}
	}
}

// TestPower: of experiments with a difference of 1.5 times the announced smallest
// one at least 90 % find it, with the right sign; and the announced smallest is
// right within 15 %: four of five experiments find a difference between 0.85 and
// 1.15 of it.
func TestPower(t *testing.T) {
	const reps = 1500
	for _, z := range []noise{noises[0], noises[len(noises)-1]} { // the least and the most
		for _, n := range []int{6, 8, 12} {
			rng := rand.New(rand.NewPCG(3, 4))
			// the deviation of a block's log ratio under this noise, from many
			var sum, squares, blocks float64
			for range 2000 {
				for _, y := range z.experiment(rng, n, 0) {
					sum, squares, blocks = sum+y, squares+y*y, blocks+1
				}
			}
			mde := Detectable(math.Sqrt(squares/blocks-sum*sum/blocks/blocks), n, Level)
			found := func(effect float64) float64 {
				hits := 0
				for range reps {
					if Judge(z.experiment(rng, n, effect), Question{HigherIsBetter: true}).Word == Improved {
						hits++
					}
				}
				return float64(hits) / reps
			}
			below, at, above, more := found(0.85*mde), found(mde), found(1.15*mde), found(1.5*mde)
			t.Logf(
				"%-16s %2d blocks: announced ±%.1f %%; found at 0.85 of it %.0f %%, at it %.0f %%, at 1.15 %.0f %%, "+
					"at 1.5 %.1f %%",
				z.name, n, Percent(mde), 100*below, 100*at, 100*above, 100*more)
			if below > Power || above < Power {
				t.Errorf("%s, %d blocks: the announced smallest difference is not within 15 %% of the true one",
					z.name, n)
			}
			if more < 0.9 {
				t.Errorf("%s, %d blocks: only %.1f %% of differences of 1.5 times the announced one are found", z.name,
					n, 100*more)
			}
		}
	}
}

// TestLooks: an experiment that may stop at each look, at SequentialLevel, errs
// about as often as one look does; without the correction it errs much more.
func TestLooks(t *testing.T) {
	const reps = 3000
	rng := rand.New(rand.NewPCG(5, 6))
	once, naive := 0, 0
	for range reps {
		y := noises[0].experiment(rng, Looks[len(Looks)-1], 0)
		a, b := false, false
		for _, n := range Looks {
			a = a || claims(Judge(y[:n], Question{Level: SequentialLevel}).Word)
			b = b || claims(Judge(y[:n], Question{}).Word)
		}
		if a {
			once++
		}
		if b {
			naive++
		}
	}
	t.Logf("four looks: %.1f %% false positives, uncorrected %.1f %%", 100*float64(once)/reps, 100*float64(naive)/reps)
	if share := float64(once) / reps; share > 0.06 || share < 0.025 {
		t.Errorf("%.1f %% false positives over all looks", 100*share)
	}
	if naive <= 2*once {
		t.Errorf("looking without a correction is as good (%d against %d): this test sees nothing", naive, once)
	}
}

// TestExtended verifies that an experiment that may get more blocks twice, where it did not decide, errs in no more
// than
// the level of one look.
func TestExtended(t *testing.T) {
	const reps = 3000
	for _, looks := range [][]int{{8, 16, 32}, {8, 12, 16}} {
		rng := rand.New(rand.NewPCG(7, 8))
		hits := 0
		for range reps {
			y := noises[1].experiment(rng, looks[len(looks)-1], 0)
			for i, n := range looks {
				level := ExtendedLevel
				if i == 0 {
					level = Level
				}
				if claims(Judge(y[:n], Question{Level: level}).Word) {
					hits++
					break
				}
			}
		}
		share := float64(hits) / reps
		t.Logf("looks at %v blocks: %.1f %% false positives", looks, 100*share)
		if share > 0.055 || share < 0.03 { // 0.055: two standard deviations above the level
			t.Errorf("%v: %.1f %% false positives over all looks", looks, 100*share)
		}
	}
}
