package stat

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestQuantilesOfT: the table of every textbook.
func TestQuantilesOfT(t *testing.T) {
	for _, c := range []struct {
		p  float64
		df int
		t  float64
	}{{0.975, 1, 12.706}, {0.975, 3, 3.182}, {0.975, 5, 2.571}, {0.975, 7, 2.365}, {0.975, 30, 2.042}, {0.95, 7, 1.895},
		{0.8, 7, 0.896}, {0.995, 10, 3.169}, {0.025, 7, -2.365}} {
		near(t, "a quantile of t", QuantileT(c.p, c.df), c.t, 0.0006)
		near(t, "its probability", CDFT(c.t, c.df), c.p, 0.0001)
	}
	for _, bad := range []float64{0, 1, -1, math.NaN()} {
		if !math.IsNaN(QuantileT(bad, 7)) {
			t.Errorf("a quantile for p = %v", bad)
		}
	}
}

// TestPaired: the hours of additional sleep of ten patients, of Student's own
// paper of 1908 (R's data set sleep): t = 4.0621, p = 0.002833, 95 % 0.7001 to 2.4599;
// the exact permutation probability is 4/1024.
func TestPaired(t *testing.T) {
	y := []float64{1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4}
	e := NewEstimate(y)
	low, high := e.Interval(0.95)
	near(t, "mean", e.Mean, 1.58, 1e-9)
	near(t, "p", e.P(), 0.002833, 0.000001)
	near(t, "low", low, 0.7001142, 0.000001)
	near(t, "high", high, 2.4598858, 0.000001)
	p, ok := SignFlip(y)
	if !ok {
		t.Fatal("no exact test of ten")
	}
	near(t, "exact p", p, 4.0/1024, 1e-12)
}

// TestSignFlip: against all patterns counted one by one.
func TestSignFlip(t *testing.T) {
	for _, y := range [][]float64{{1}, {1, -1}, {0.03, 0.01, -0.02, 0.04, 0.01}, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
		{0, 0, 0}, {1, 2, 4, 8, -16, 3, 0.5}} {
		var sum float64
		for _, v := range y {
			sum += v
		}
		hits := 0
		for signs := range 1 << len(y) {
			var s float64
			for i, v := range y {
				if signs>>i&1 == 1 {
					v = -v
				}
				s += v
			}
			if math.Abs(s) >= math.Abs(sum)-1e-9 {
				hits++
			}
		}
		got, ok := SignFlip(y)
		if want := float64(hits) / float64(int(1)<<len(y)); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, counted %v", y, got, want)
		}
	}
	if _, ok := SignFlip(nil); ok {
		t.Error("a probability of nothing")
	}
	if _, ok := SignFlip(make([]float64, 21)); ok {
		t.Error("21 blocks have two million patterns")
	}
	if p, _ := SignFlip(make([]float64, 20)); p != 1 {
		t.Errorf("all ratios 1: p = %v", p)
	}
}

// TestDetectable: the table that experiments are planned with, for
// as many blocks as have no coarse exact test.
func TestDetectable(t *testing.T) {
	for _, c := range []struct{ sd, n, percent float64 }{{0.01, 4, 2.1}, {0.05, 4, 11}, {0.02, 10, 2.0},
		{0.03, 12, 2.7}, {0.05, 16, 3.8}, {0.08, 24, 4.9}} {
		near(t, "smallest change", Percent(Detectable(c.sd, int(c.n), Level)), c.percent, 0.06)
	}
	if n := BlocksFor(0.02, Log(2), Level); n < 9 || n > 11 {
		t.Errorf("%d blocks for 2 %% at a deviation of 2 %%", n)
	}
	if n := BlocksFor(0.5, Log(1), Level); n != 0 {
		t.Errorf("%d blocks", n)
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		near(t, "adjusted", got[i], want, 1e-12)
	}
}

func TestMiddleIsRobust(t *testing.T) {
	y := []float64{0.01, 0.012, 0.011, 0.009, 0.010, 0.9}
	if e := NewEstimate(y); e.Middle > 0.02 || e.Mean < 0.1 {
		t.Errorf("middle %v, mean %v", e.Middle, e.Mean)
	}
}

func TestFlat(t *testing.T) {
	for _, c := range []struct {
		name    string
		windows []float64
		want    bool
	}{
		{"too few", []float64{100, 100, 100}, false},
		{"level", []float64{100, 103, 98, 101, 99, 102}, true},
		{"rising", []float64{50, 62, 71, 83, 95, 104}, false},
		{"the same always", []float64{7, 7, 7, 7, 7}, true},
		{"a straight rise", []float64{10, 20, 30, 40, 50}, false},
	} {
		if got := Flat(c.windows); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// around makes n ratios about a mean, deviating by turns.
func around(n int, mean, by float64) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = mean + by*float64(1-2*(i%2))
	}
	return y
}

// TestVerdicts: each word, and the sentence that goes with it.
func TestVerdicts(t *testing.T) {
	flat := []float64{0.06, -0.05, 0.04, -0.06, 0.05, -0.04, 0.02, -0.024}
	for _, c := range []struct {
		name string
		y    []float64
		q    Question
		word Word
		says []string
	}{
		{"faster", around(8, 0.05, 0.01), Question{HigherIsBetter: true}, Improved,
			[]string{"+5.1% tps (95% CI +", "8 blocks, p = .008", "Practically relevant"}},
		{"slower", around(8, -0.05, 0.01), Question{HigherIsBetter: true}, Regressed, []string{"−4.9% tps"}},
		{"less time", around(8, -0.05, 0.01), Question{}, Improved, []string{"−4.9% tps"}},
		{"a little faster", around(8, 0.004, 0.001), Question{HigherIsBetter: true}, Improved,
			[]string{"+0.4% tps", "A real but small difference: below ±2%"}},
		{"the same", around(8, 0.0005, 0.004), Question{HigherIsBetter: true}, Equivalent,
			[]string{"No difference in tps larger than 2% (90% CI −"}},
		{"cannot tell", flat, Question{HigherIsBetter: true}, Inconclusive,
			[]string{"No difference in tps detected", "would have detected a change of ±",
				"with a probability of 80%", "blocks are needed for ±2%"}},
		{"too few", around(4, 0.05, 0.001), Question{HigherIsBetter: true}, Indicative,
			[]string{"+5.1% tps, blocks: 4; a verdict needs 6."}},
		{"some discarded", around(8, 0.05, 0.001), Question{HigherIsBetter: true, Discarded: 3}, Improved,
			[]string{"8 blocks"}},
		{"nothing to compare", nil, Question{HigherIsBetter: true, Discarded: 3}, Unsuitable,
			[]string{"none of 3 blocks could be compared"}},
		{"a further look", flat, Question{HigherIsBetter: true, Level: ExtendedLevel}, Inconclusive,
			[]string{"99.5% CI"}},
		{"the same at a further look", around(20, 0.0005, 0.004), Question{Level: ExtendedLevel}, Equivalent,
			[]string{"99% CI"}},
		{"one block decides", []float64{0.001, 0.001, 0.001, 0.001, 0.001, 0.001, -0.0001, 0.3},
			Question{HigherIsBetter: true}, Inconclusive, []string{"disagree"}},
		{"none", nil, Question{}, Indicative, []string{"?% tps, blocks: 0"}},
		{"one", []float64{0.1}, Question{}, Indicative, []string{"blocks: 1"}},
	} {
		v := Judge(c.y, c.q)
		var all []string
		for _, m := range v.Words(say.Text("tps")) {
			all = append(all, m.String())
		}
		text := strings.Join(all, " ")
		if v.Word != c.word {
			t.Errorf("%s: %s, want %s: %s", c.name, v.Word, c.word, text)
		}
		for _, s := range c.says {
			if !strings.Contains(text, s) {
				t.Errorf("%s: %q does not say %q", c.name, text, s)
			}
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var again Verdict
		if err := json.Unmarshal(b, &again); err != nil || again.Word != v.Word ||
			again.Effect.Known() != v.Effect.Known() {
			t.Errorf("%s: %s is read as %+v, %v", c.name, b, again, err)
		}
		if strings.Contains(text, "no effect") {
			t.Errorf("%s: %q claims what no experiment shows", c.name, text)
		}
	}
}

// TestSwapped: with the configurations swapped the verdict is the opposite one.
func TestSwapped(t *testing.T) {
	y := []float64{0.01, 0.02, 0.015, 0.03, 0.012, 0.021, 0.018, 0.009}
	turned := make([]float64, len(y))
	for i, v := range y {
		turned[i] = -v
	}
	a, b := Judge(y, Question{HigherIsBetter: true}), Judge(turned, Question{HigherIsBetter: true})
	if a.Word != Improved || b.Word != Regressed || a.P != b.P || a.PFlip != b.PFlip {
		t.Errorf("%+v\n%+v", a, b)
	}
}
