package experiments

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/show/outline"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// TestAxisLabels holds of axes of every reach that each label stands where its
// change is, that none touches another one, and that a far axis is labelled to
// its ends.
func TestAxisLabels(t *testing.T) {
	word := regexp.MustCompile(`\S+`)
	lows := []float64{-0.3, -2, -8, -12, -33, -50, -70, -90, -97, -99.4, -99.9}
	highs := []float64{0.3, 2, 9, 13, 49, 51, 95, 180, 400, 530, 870, 4000, 65000}
	for _, columns := range []int{20, 36, 60, 86} {
		for _, low := range lows {
			for _, high := range highs {
				a := axisOf(stat.Log(low), stat.Log(high), columns)
				text := a.labels()
				least, most := math.Inf(1), math.Inf(-1)
				for _, at := range word.FindAllStringIndex(text, -1) {
					label := text[at[0]:at[1]]
					x, err := strconv.ParseFloat(strings.Replace(label, "−", "-", 1), 64)
					if err != nil {
						t.Fatalf("%g…%g in %d columns: %q in %q", low, high, columns, label, text)
					}
					from, n := utf8.RuneCountInString(text[:at[0]]), utf8.RuneCountInString(label)
					if dot := a.at(stat.Log(x)); dot < from || dot >= from+n {
						t.Errorf("%g…%g in %d columns: %s stands at %d and is at %d", low, high, columns,
							label, from, dot)
					}
					least, most = min(least, x), max(most, x)
				}
				if !strings.Contains(text, "0") || least > 0 || most < 0 {
					t.Errorf("%g…%g in %d columns: %q", low, high, columns, text)
				}
				// A far end is written, or so near to zero that there was no room next to it; what is written covers
				// what is shown.
				if room := a.columns / 5; high >= 13 && a.at(stat.Log(high))-a.at(0) > room && most < high*0.75 {
					t.Errorf("%g…%g in %d columns ends at %+g: %q", low, high, columns, most, text)
				}
				if room := a.columns / 5; low <= -12 && a.at(0)-a.at(stat.Log(low)) > room &&
					stat.Log(least) > 0.75*stat.Log(low) {
					t.Errorf("%g…%g in %d columns begins at %+g: %q", low, high, columns, least, text)
				}
				if a.low > stat.Log(low) || a.high < stat.Log(high) {
					t.Errorf("%g…%g do not fit on the axis", low, high)
				}
			}
		}
	}
}

// TestPlainFigure verifies that no figure has an exponent.
func TestPlainFigure(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 9.29e-5: "0.000093", 0.0651: "0.065", 0.5: "0.50", 0.05: "0.050",
		-12.34: "−12.3", -1234.5: "−1235", 1234.5: "1235", 12345: "12,345", math.Inf(1): "?", 3: "3"} {
		if got := plainFigure(x); got != want {
			t.Errorf("%v is written %s, not %s", x, got, want)
		}
	}
}

// TestDesignWords verifies that what will be done is described as it will be: no warm-up of 0 s, and no duration of 0
// s.
func TestDesignWords(t *testing.T) {
	for want, e := range map[string]experiment.Experiment{
		"8 blocks of two runs of 120 s, one of each configuration, in random order (AB or BA, seed 42). " +
			"Before each run, the server is started with its configuration, every value is verified, the load warms " +
			"up until throughput is stable (at most 300 s), and a checkpoint is run.": {
			Design: experiment.DesignRestart, Spec: experiment.Spec{Blocks: 8, Duration: 120, Warmup: 300, Seed: 42}},
		"1 block of two runs of 100 transactions per client, one of each configuration, the same ones in both, in " +
			"random order (AB or BA, seed 42). Before each run, the server is started with its " +
			"configuration, every value is verified, there is no warm-up, and a checkpoint is run.": {
			Design: experiment.DesignRestart, Spec: experiment.Spec{Blocks: 1, Count: 100, Seed: 42}},
		"3 runs of 120 s. Before each run, the server is started, the load warms up until throughput is stable (at " +
			"most 5 s), and a checkpoint is run. Nothing is compared, so there is no verdict.": {
			Design: experiment.DesignSingle, Spec: experiment.Spec{Blocks: 3, Duration: 120, Warmup: 5}},
		"8 blocks. Both servers are running and are loaded alternately in slices of 2 s in balanced order, 40 s of " +
			"each configuration per block, so slow drift affects both.": {
			Design: experiment.DesignSlices, Spec: experiment.Spec{Blocks: 8, Duration: 40, Slice: 2, Warmup: 300}},
	} {
		if got := designWords(&e, outline.Words{}); got != want {
			t.Errorf("told as\n%s\nnot\n%s", got, want)
		}
	}
}
