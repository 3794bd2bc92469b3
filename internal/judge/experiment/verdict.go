package experiment

import (
	"math"
	"slices"

	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

var unknown = stat.Number(math.NaN())

func positive(x float64) stat.Number {
	if x > 0 {
		return stat.Number(x)
	}
	return unknown
}

// Judge sets log ratios, discarded blocks, verdict and secondary metrics from the runs. Blocks that are discarded by a
// word of the runner (Discarded set and no two runs) stay so.
func (r *Result) Judge() {
	metric, _ := FindMetric(r.Metric)
	r.Verdict, r.Secondary = stat.Verdict{}, nil
	whole := r.complete()
	if r.Design == DesignSingle {
		r.Discarded = r.discarded()
		return
	}
	var y []float64
	var counting []*Block
	busy := r.discardOutliers(whole)
	for _, b := range whole {
		if len(b.Discarded) > 0 {
			continue
		}
		counting = append(counting, b)
		if l := logRatio(b, metric); l.Known() {
			b.LogRatio = l
			y = append(y, float64(l))
		}
	}
	r.Verdict = stat.Judge(y, stat.Question{HigherIsBetter: metric.HigherIsBetter, MarginPercent: r.Spec.Margin,
		Discarded: r.discarded(), Level: r.Spec.Level()})
	r.Busy = busy || r.Disturbed().Median > Busy/100
	r.Secondary = compareSecondary(counting, r.Metric)
}

// complete returns the blocks that have all their runs, and discards those of them that are broken.
func (r *Result) complete() (whole []*Block) {
	for i := range r.Blocks {
		b := &r.Blocks[i]
		b.LogRatio, b.Broken = unknown, false
		if len(b.Runs) != 2 && (r.Design != DesignSingle || len(b.Runs) != 1) {
			continue // not finished: it is neither discarded nor counts
		}
		b.Discarded = r.broken(b)
		b.Broken = len(b.Discarded) > 0
		whole = append(whole, b)
	}
	return whole
}

// discardOutliers discards the blocks whose runs were disturbed differently. Where these would be more than a third,
// that is how the machine is, and all of them stay; it reports that.
func (r *Result) discardOutliers(whole []*Block) (busy bool) {
	var sound []*Block
	for _, b := range whole {
		if !b.Broken {
			sound = append(sound, b)
		}
	}
	why, out := standOut(sound), 0
	for _, list := range why {
		if len(list) > 0 {
			out++
		}
	}
	if float64(out) > stat.MostDiscarded*float64(len(sound)) {
		return true
	}
	for i, b := range sound {
		b.Discarded = why[i]
	}
	return false
}

func (r *Result) discarded() (n int) {
	for i := range r.Blocks {
		if len(r.Blocks[i].Discarded) > 0 {
			n++
		}
	}
	return n
}

func logRatio(b *Block, m Metric) stat.Number {
	one, two := b.Run("A"), b.Run("B")
	if one == nil || two == nil {
		return unknown
	}
	x, y := m.Of(one), m.Of(two)
	if !x.Known() || !y.Known() || x <= 0 || y <= 0 {
		return unknown
	}
	return stat.Number(math.Log(float64(y / x)))
}

// compareSecondary compares every other metric that all blocks have.
func compareSecondary(blocks []*Block, primary string) []Compared {
	var out []Compared
	var p []float64
	for _, m := range Metrics() {
		if m.Name == primary || len(blocks) == 0 {
			continue
		}
		var a, b, y []float64
		for _, blk := range blocks {
			one, two := blk.Run("A"), blk.Run("B")
			if one == nil || two == nil || !m.Of(one).Known() || !m.Of(two).Known() {
				continue
			}
			a, b = append(a, float64(m.Of(one))), append(b, float64(m.Of(two)))
			if l := logRatio(blk, m); l.Known() {
				y = append(y, float64(l))
			}
		}
		if len(a) != len(blocks) || !slices.ContainsFunc(append(slices.Clone(a), b...),
			func(v float64) bool { return v != 0 }) {
			continue
		}
		c := Compared{Metric: m.Name, A: stat.Number(stat.Median(a)), B: stat.Number(stat.Median(b)), Effect: unknown,
			Low: unknown, High: unknown, P: unknown}
		if len(y) == len(blocks) && len(y) > 1 {
			e := stat.NewEstimate(y)
			low, high := e.Interval(0.95)
			c.Effect, c.Low, c.High, c.P = stat.Number(stat.Percent(e.Mean)), stat.Number(stat.Percent(low)),
				stat.Number(stat.Percent(high)), stat.Number(e.P())
			p = append(p, e.P())
		}
		out = append(out, c)
	}
	adjusted := stat.Holm(p)
	i := 0
	for k := range out {
		if out[k].P.Known() {
			out[k].P = stat.Number(adjusted[i])
			i++
		}
	}
	return out
}
