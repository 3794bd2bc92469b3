package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

var unknown = stat.Number(math.NaN())

func positive(x float64) stat.Number {
	if x > 0 {
		return stat.Number(x)
	}
	return unknown
}

// The gates, fixed before any run: a block beyond one of them is discarded, whatever
// its configurations.
const (
	MostSteal      = 2.0  // per cent of CPU time taken by the hypervisor
	MostForeign    = 3.0  // per cent of CPU time taken by processes that are not of the experiment
	MostClockStep  = 100. // ms between wall clock and monotonic clock over a run
	MostCheckpoint = 1    // difference of checkpoints completed by the two configurations
	// The calibration is the same work before each run: it took so many times the
	// median of all, so the machine was slower for all comers. Twice for fsync,
	// which deviates by half on an idle virtual disk.
	MostCalibrationCPU  = 1.15
	MostCalibrationSync = 2.0
)

// calibration is the medians of the calibrations over all runs of an experiment.
type calibration struct{ cpu, sync float64 }

func (r *Result) typicalCalibration() calibration {
	var cpu, sync []float64
	for _, b := range r.Blocks {
		for _, run := range b.Runs {
			if v := run.Environment.CalibrationCPU; v.Known() {
				cpu = append(cpu, float64(v))
			}
			if v := run.Environment.CalibrationSync; v.Known() {
				sync = append(sync, float64(v))
			}
		}
	}
	return calibration{stat.Median(cpu), stat.Median(sync)}
}

// discardReasons says why the surroundings of runs make their block discarded, in English, as the document has it:
// gapwords knows these texts again. It sees neither which configuration a run was of nor what it measured.
func discardReasons(env []Environment, failed []int64, ty calibration) (why []string) {
	for i, e := range env {
		tell := func(text say.Template, pairs ...any) {
			why = append(why, say.M(text, append(pairs, "n", i+1)...).English())
		}
		over := func(v stat.Number, most float64, text say.Template, figure, mostFigure string) {
			if v.Known() && float64(v) > most {
				tell(text, "share", fmt.Sprintf(figure, float64(v)), "most", fmt.Sprintf(mostFigure, most))
			}
		}
		over(e.Steal, MostSteal, "run {n}: the hypervisor took {share} of the CPU time (most: {most})",
			"%.1f %%", "%.0f %%")
		over(e.Foreign, MostForeign, "run {n}: other programs took {share} of the CPU time (most: {most})",
			"%.1f %%", "%.0f %%")
		over(stat.Number(math.Abs(float64(e.ClockStep))), MostClockStep,
			"run {n}: the clock was set, by {share} (most: {most})", "%.0f ms", "%.0f ms")
		over(e.CalibrationCPU/stat.Number(ty.cpu), MostCalibrationCPU,
			"run {n}: fixed CPU work before it took {share} times as long as usual (most: {most})", "%.2f", "%.2f")
		over(e.CalibrationSync/stat.Number(ty.sync), MostCalibrationSync,
			"run {n}: fsyncs before it took {share} times as long as usual (most: {most})", "%.1f", "%.1f")
		if e.Wraparound {
			tell("run {n}: a vacuum against wraparound was at work")
		}
		if failed[i] > 0 {
			tell("run {n}: {count} transactions failed", "count", strconv.FormatInt(failed[i], 10))
		}
	}
	if len(env) == 2 {
		if d := env[0].Checkpoint - env[1].Checkpoint; d > MostCheckpoint || d < -MostCheckpoint {
			why = append(why, say.M("one run had {n} checkpoints, the other {most}", "n",
				strconv.Itoa(env[0].Checkpoint), "most", strconv.Itoa(env[1].Checkpoint)).English())
		}
	}
	return why
}

// missingCycles says why the runs of a block are not of whole checkpoint cycles.
func (r *Result) missingCycles(b *Block) (why []string) {
	for i, run := range b.Runs {
		if run.Cycles < r.Spec.Cycles {
			why = append(why, say.M("run {n}: {count} of {most} checkpoint cycles were complete after {share}",
				"n", i+1, "count", strconv.Itoa(run.Cycles), "most", strconv.Itoa(r.Spec.Cycles),
				"share", fmt.Sprintf("%.0f s", run.Seconds)).English())
		}
	}
	return why
}

// Judge sets log ratios, discarded blocks, verdict and secondary metrics from the
// runs. Blocks that are discarded by a word of the runner (Discarded set and no two runs)
// stay so.
func (r *Result) Judge() {
	metric, _ := FindMetric(r.Metric)
	ty := r.typicalCalibration()
	var y []float64
	var counting []*Block
	discarded := 0
	for i := range r.Blocks {
		b := &r.Blocks[i]
		b.LogRatio = unknown
		complete := len(b.Runs) == 2 || r.Design == DesignSingle && len(b.Runs) == 1
		if complete {
			var env []Environment
			var failed []int64
			for _, run := range b.Runs {
				env, failed = append(env, run.Environment), append(failed, run.Failed+int64(len(run.Errors)))
			}
			b.Discarded = append(discardReasons(env, failed, ty), r.missingCycles(b)...)
		} else if len(b.Discarded) == 0 {
			continue // not finished: it is neither discarded nor counts
		}
		if len(b.Discarded) > 0 {
			discarded++
			continue
		}
		counting = append(counting, b)
		if r.Design == DesignSingle {
			continue
		}
		if l := logRatio(b, metric); l.Known() {
			b.LogRatio = l
			y = append(y, float64(l))
		}
	}
	r.Verdict, r.Secondary = stat.Verdict{}, nil
	if r.Design == DesignSingle {
		r.Discarded = discarded
		return
	}
	r.Verdict = stat.Judge(y, stat.Question{HigherIsBetter: metric.HigherIsBetter, MarginPercent: r.Spec.Margin,
		Discarded: discarded})
	r.Secondary = compareSecondary(counting, r.Metric)
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
