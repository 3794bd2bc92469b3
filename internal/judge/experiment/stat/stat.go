// Package stat turns the measured runs of an experiment into a verdict. It does no I/O, draws no random numbers, and
// knows nothing of PostgreSQL. It is a separate package because it is arithmetic that can be read and tested without
// knowing what an experiment is: log ratios in, a verdict out.
//
// The unit is the block: two runs close in time, one of each configuration. A block gives
// one number, the logarithm of the ratio of its runs, ln(B/A); what drifts
// slowly is in both runs and drops out. Runs within a block are never counted
// as more than one observation, and neither are the seconds of a run.
package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Estimate is what a list of log ratios says of the ratio behind them. All are natural logarithms; Percent makes them
// percent.
type Estimate struct {
	N      int     // blocks
	Mean   float64 // arithmetic mean of the log ratios
	SD     float64 // standard deviation, n-1 in the divisor
	Middle float64 // Hodges-Lehmann: median of the means of all pairs, which one outlier does not move far
}

// NewEstimate estimates from the log ratios of blocks. The deviation of fewer than two
// is NaN.
func NewEstimate(y []float64) Estimate {
	e := Estimate{N: len(y), SD: math.NaN(), Mean: math.NaN(), Middle: math.NaN()}
	if len(y) == 0 {
		return e
	}
	var sum float64
	for _, v := range y {
		sum += v
	}
	e.Mean = sum / float64(len(y))
	if len(y) > 1 {
		var ss float64
		for _, v := range y {
			ss += (v - e.Mean) * (v - e.Mean)
		}
		e.SD = math.Sqrt(ss / float64(len(y)-1))
	}
	walsh := make([]float64, 0, len(y)*(len(y)+1)/2)
	for i := range y {
		for j := i; j < len(y); j++ {
			walsh = append(walsh, (y[i]+y[j])/2)
		}
	}
	e.Middle = Median(walsh)
	return e
}

// Interval returns the bounds that hold the true mean log ratio with a
// confidence such as 0.95, by Student's t. Both are NaN for fewer than two
// blocks.
func (e Estimate) Interval(confidence float64) (low, high float64) {
	half := QuantileT(0.5+confidence/2, e.N-1) * e.SD / math.Sqrt(float64(e.N))
	return e.Mean - half, e.Mean + half
}

// P is the two-sided probability, by Student's t, of a mean this far from 0 or farther when there is no difference. It
// is 1 if all ratios are 1, and NaN for fewer than two blocks.
func (e Estimate) P() float64 {
	switch {
	case e.N < 2:
		return math.NaN()
	case e.SD == 0 && e.Mean == 0:
		return 1
	case e.SD == 0:
		return 0
	}
	t := e.Mean / (e.SD / math.Sqrt(float64(e.N)))
	return 2 * (1 - CDFT(math.Abs(t), e.N-1))
}

// CDFT is the probability that a t of so many degrees of freedom is at most x.
func CDFT(x float64, df int) float64 {
	if df < 1 || math.IsNaN(x) {
		return math.NaN()
	}
	nu := float64(df)
	tail := mathext.RegIncBeta(nu/2, 0.5, nu/(nu+x*x)) / 2
	if x > 0 {
		return 1 - tail
	}
	return tail
}

// QuantileT is the t of so many degrees of freedom below which a share p of all
// t is; p is between 0 and 1.
func QuantileT(p float64, df int) float64 {
	if df < 1 || !(p > 0 && p < 1) {
		return math.NaN()
	}
	if p == 0.5 {
		return 0
	}
	tail := min(p, 1-p)
	nu := float64(df)
	x := mathext.InvRegIncBeta(nu/2, 0.5, 2*tail)
	t := math.Sqrt(nu * (1 - x) / x)
	if p < 0.5 {
		return -t
	}
	return t
}

// mostFlipped bounds the exact test: 2^20 sign patterns are a million sums.
const mostFlipped = 20

// SignFlip is the exact two-sided permutation probability: of all ways to swap
// the configurations within blocks, the share whose mean is as far from 0 as the one seen,
// or farther. ok is false for no blocks and for more than 20 (which have a
// million patterns and need the test least).
func SignFlip(y []float64) (p float64, ok bool) {
	n := len(y)
	if n == 0 || n > mostFlipped {
		return 0, false
	}
	var seen float64
	for _, v := range y {
		seen += v
	}
	seen = math.Abs(seen)
	// The sums differ by rounding with the order in which they were made.
	seen -= 1e-12 * (1 + seen)
	// A Gray code changes one sign a step. Patterns come in pairs of opposite
	// sum, so the last sign stays.
	var sum float64
	for _, v := range y {
		sum += v
	}
	signs := uint32(0)
	extreme, all := 0, 1<<(n-1)
	for i := 1; ; i++ {
		if math.Abs(sum) >= seen {
			extreme++
		}
		if i == all {
			break
		}
		bit := trailing(uint32(i))
		if signs>>bit&1 == 0 {
			sum -= 2 * y[bit]
		} else {
			sum += 2 * y[bit]
		}
		signs ^= 1 << bit
	}
	return float64(extreme) / float64(all), true
}

func trailing(i uint32) int {
	n := 0
	for i&1 == 0 {
		i, n = i>>1, n+1
	}
	return n
}

// Holm adjusts the probabilities of several tests made at once (Holm 1979): each
// result may be held against the same level as a single test.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(p))
	var most float64
	for rank, i := range order {
		most = max(most, min(1, p[i]*float64(len(p)-rank)))
		out[i] = most
	}
	return out
}

// Median of a list, which is left as it was; NaN for none.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Clone(x)
	slices.Sort(s)
	if m := len(s) / 2; len(s)%2 == 1 {
		return s[m]
	} else {
		return (s[m-1] + s[m]) / 2
	}
}

// Percent is a log ratio as a change in percent: ln 1.04 is 4.
func Percent(y float64) float64 { return math.Expm1(y) * 100 }

// Log is a change in percent as a log ratio: 4 is ln 1.04.
func Log(percent float64) float64 { return math.Log1p(percent / 100) }
