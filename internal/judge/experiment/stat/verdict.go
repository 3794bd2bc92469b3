package stat

import (
	"math"
	"sort"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Word is the verdict of an experiment.
type Word string

// The verdicts. Improved and Regressed are said of configuration B against configuration A.
const (
	Improved     Word = "IMPROVED"
	Regressed    Word = "REGRESSED"
	Equivalent   Word = "EQUIVALENT"
	Inconclusive Word = "INCONCLUSIVE"
	// Indicative is no verdict: there were too few blocks for one.
	Indicative Word = "INDICATIVE"
	// Unsuitable is no verdict: no block could be compared.
	Unsuitable Word = "UNSUITABLE"
)

const (
	// Level is the share of experiments without a difference that may be called
	// one.
	Level = 0.05
	// Power is the share of experiments that find a difference of the announced
	// smallest size.
	Power = 0.8
	// FewestBlocks for a claim: with five, the smallest two-sided probability of
	// the exact test is 2/32 = 0.0625, above the level; with six it is 0.031.
	FewestBlocks = 6
	// Margin in percent within which two configurations are held to be the same.
	Margin = 2.0
	// MostDiscarded is the share of blocks that may be discarded because their runs were disturbed differently. Where
	// more were, a rule that takes them out would leave a choice of blocks, not an experiment.
	MostDiscarded = 1. / 3
)

// Question is what is asked of the log ratios of an experiment.
type Question struct {
	HigherIsBetter bool    // transactions a second; false for latency and run time
	MarginPercent  float64 // equivalence; 0 means Margin
	Discarded      int     // blocks that gates took out, in addition to those given
	Level          float64 // 0 means Level; SequentialLevel if blocks are evaluated as they come
}

// SequentialLevel is the level of each look if an experiment is evaluated after 8, 12, 16 and 24 blocks and may stop at
// the first that decides; together they then err no more often than one look at Level does (found by simulation; the
// test
// repeats it).
const SequentialLevel = 0.02

// ExtendedLevel is the level of a look after blocks were added to an experiment that was judged at Level and did not
// decide. The t test and the exact test have to agree, so that the first look errs in 4.4 % of experiments of 8 blocks;
// with two more looks it is 5 % (found by simulation; the test repeats it).
const ExtendedLevel = 0.005

// Looks are the numbers of blocks at which SequentialLevel may be used. With six, the exact test cannot reach it.
var Looks = []int{8, 12, 16, 24}

// Verdict is the answer. All per cents are of B against A.
type Verdict struct {
	Word  Word    `json:"verdict"`
	Level float64 `json:"level"` // probability of a false difference at which it is judged
	// other programs and the hypervisor took so much that the interval is wider for it
	Busy      bool   `json:"busy_machine,omitempty"`
	N         int    `json:"n"`            // blocks that count
	Discarded int    `json:"void_blocks"`  // blocks that gates took out
	Effect    Number `json:"effect_pct"`   // mean ratio
	Low       Number `json:"ci_low_pct"`   // bounds of the interval of 1 - Level: 95 %
	High      Number `json:"ci_high_pct"`  //
	Low90     Number `json:"ci90_low_pct"` // of 1 - 2 Level, 90 %, on which equivalence is based
	High90    Number `json:"ci90_high_pct"`
	Middle    Number `json:"hodges_lehmann_pct"`
	SD        Number `json:"sd_pct"`        // of the log ratio of a block, as a change
	P         Number `json:"p"`             // by t
	PFlip     Number `json:"p_permutation"` // exact; P if there are more than 20 blocks
	MDE       Number `json:"mde_pct"`       // smallest change found four times out of five
	Margin    Number `json:"margin_pct"`
	Relevant  bool   `json:"practically_relevant"` // the whole interval is beyond the margin
	// blocks that would find a change of the margin; 0 if more than 1,000
	ForMargin int  `json:"blocks_for_margin"`
	Disagree  bool `json:"tests_disagree"` // t and permutation on different sides of the level
}

// Judge answers a question from the log ratios ln(B/A), one a block.
func Judge(y []float64, q Question) Verdict {
	if q.MarginPercent == 0 {
		q.MarginPercent = Margin
	}
	if q.Level == 0 {
		q.Level = Level
	}
	e := NewEstimate(y)
	low, high := e.Interval(1 - q.Level)
	low90, high90 := e.Interval(1 - 2*q.Level)
	v := Verdict{
		Level: q.Level, N: len(y), Discarded: q.Discarded, Margin: Number(q.MarginPercent),
		Effect: percent(e.Mean), Low: percent(low), High: percent(high), Low90: percent(low90), High90: percent(high90),
		Middle: percent(e.Middle), SD: percent(e.SD), P: Number(e.P()), MDE: percent(Detectable(e.SD, e.N, q.Level)),
	}
	v.PFlip = v.P
	if p, ok := SignFlip(y); ok {
		v.PFlip = Number(p)
	}
	v.ForMargin = BlocksFor(e.SD, Log(q.MarginPercent), q.Level)
	margin := Log(q.MarginPercent)
	byT, byFlip := float64(v.P) < q.Level, float64(v.PFlip) < q.Level
	v.Disagree = byT != byFlip
	v.Relevant = low > margin || high < -margin
	switch {
	case len(y) == 0 && q.Discarded > 0:
		v.Word = Unsuitable
	case len(y) < FewestBlocks:
		v.Word = Indicative
	case byT && byFlip && (e.Mean > 0) == q.HigherIsBetter:
		v.Word = Improved
	case byT && byFlip:
		v.Word = Regressed
	case low90 > -margin && high90 < margin:
		v.Word = Equivalent
	default:
		v.Word = Inconclusive
	}
	return v
}

// Detectable is the smallest true log ratio that an experiment of n blocks, whose
// log ratios deviate by sd, calls a difference four times out of five; NaN for
// fewer than two blocks. (t of the level plus t of the power, times the standard
// error. With few blocks the exact test is coarser than the t test and decides;
// what that costs was found by simulation, which the test repeats.)
func Detectable(sd float64, n int, level float64) float64 {
	coarse := 1.0
	if i := n - FewestBlocks; i >= 0 && i < len(coarseness) {
		coarse = coarseness[i]
	}
	return coarse * (QuantileT(1-level/2, n-1) + QuantileT(Power, n-1)) * sd / math.Sqrt(float64(n))
}

// coarseness is what 6, 7 and 8 blocks need more than the t test alone would: with 6 the exact test claims a difference
// only if all blocks agree in sign.
var coarseness = [...]float64{1.24, 1.07, 1.04}

// manyBlocks is more than is ever run: at five minutes a block they take three days.
const manyBlocks = 1000

// BlocksFor is how many blocks find a true log ratio of so much four times out of five; 0 if more than 1,000 are needed
// or the deviation is not known.
func BlocksFor(sd, effect, level float64) int {
	if math.IsNaN(sd) || !(effect > 0) {
		return 0
	}
	// More blocks never detect less, so the fewest are found by halving.
	n := FewestBlocks + sort.Search(manyBlocks-FewestBlocks+1, func(i int) bool {
		return Detectable(sd, FewestBlocks+i, level) <= effect
	})
	if n > manyBlocks {
		return 0
	}
	return n
}

// Confidence is that of the interval, such as 95%.
func (v Verdict) Confidence() say.Number { return confidence(1 - v.Level) }

func confidence(share float64) say.Number {
	return say.Number(strconv.FormatFloat(math.Round(1000*share)/10, 'f', -1, 64) + "%")
}

// Words says the verdict in a sentence or two, for a metric such as "tps".
func (v Verdict) Words(metric say.Message) []say.Message {
	share := func(x Number) say.Number { return say.Number(signed(x) + "%") }
	size := func(x Number) say.Number { return say.Number(plain(x) + "%") }
	whole := []any{"metric", metric, "effect", share(v.Effect), "low", share(v.Low), "high", share(v.High), "n",
		v.N, "p", probability(max(v.P, v.PFlip)),
		"low90", share(v.Low90), "high90", share(v.High90), "margin", size(v.Margin), "mde", size(v.MDE), "sd",
		size(v.SD), "all", v.N + v.Discarded, "for", v.ForMargin, "confidence", v.Confidence(),
		"confidence90", confidence(1 - 2*v.Level)}
	m := func(text say.Template) say.Message { return say.M(text, whole...) }
	var out []say.Message
	switch v.Word {
	case Improved, Regressed:
		out = append(out, m("{effect} {metric} ({confidence} CI {low} to {high}, {n} blocks, p = {p})."))
		if v.Relevant {
			out = append(out, m("Practically relevant: the whole interval is beyond ±{margin}."))
		} else if v.Low90 > -v.Margin && v.High90 < v.Margin {
			out = append(out, m("A real but small difference: below ±{margin}."))
		}
	case Equivalent:
		out = append(out, m("No difference in {metric} larger than {margin} ({confidence90} CI {low90} to {high90}, "+
			"{n} blocks)."))
	case Inconclusive:
		if v.Disagree {
			out = append(out, m("The t test and the exact test disagree about {metric} ({effect}, {confidence} CI "+
				"{low} to "+
				"{high}, {n} blocks): a few blocks determine the result, so nothing is concluded."))
		} else {
			out = append(out, m("No difference in {metric} detected ({effect}, {confidence} CI {low} to {high})."))
		}
		out = append(out,
			m("This experiment would have detected a change of ±{mde} or more with a probability of 80% (sd {sd}, {n} "+
				"blocks); it would usually miss smaller ones."))
		if v.ForMargin > v.N {
			out = append(out, m("About {for} blocks are needed for ±{margin}."))
		}
	case Indicative:
		out = append(out, m("{effect} {metric}, blocks: {n}; a verdict needs 6."))
	case Unsuitable:
		out = append(out,
			m("No verdict: none of {all} blocks could be compared."))
	}
	return out
}
