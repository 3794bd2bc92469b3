package experiment

import (
	"fmt"
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

// discardReasons says why the surroundings of runs make their block discarded. It sees neither
// which configuration a run was of nor what it measured.
func discardReasons(env []Environment, failed []int64, ty calibration) (why []string) {
	for i, e := range env {
		over := func(v stat.Number, most float64, format string) {
			if v.Known() && float64(v) > most {
				why = append(why, fmt.Sprintf(format, i+1, float64(v), most))
			}
		}
		over(e.Steal, MostSteal, "run %d: the hypervisor took %.1f %% of the CPU time (most: %.0f %%)")
		over(e.Foreign, MostForeign, "run %d: other programs took %.1f %% of the CPU time (most: %.0f %%)")
		over(stat.Number(math.Abs(float64(e.ClockStep))), MostClockStep,
			"run %d: the clock was set, by %.0f ms (most: %.0f ms)")
		over(e.CalibrationCPU/stat.Number(ty.cpu), MostCalibrationCPU,
			"run %d: fixed CPU work before it took %.2f times as long as usual (most: %.2f)")
		over(e.CalibrationSync/stat.Number(ty.sync), MostCalibrationSync,
			"run %d: fsyncs before it took %.1f times as long as usual (most: %.1f)")
		if e.Wraparound {
			why = append(why, fmt.Sprintf("run %d: a vacuum against wraparound was at work", i+1))
		}
		if failed[i] > 0 {
			why = append(why, fmt.Sprintf("run %d: %d transactions failed", i+1, failed[i]))
		}
	}
	if len(env) == 2 {
		if d := env[0].Checkpoint - env[1].Checkpoint; d > MostCheckpoint || d < -MostCheckpoint {
			why = append(why, fmt.Sprintf("one run had %d checkpoints, the other %d", env[0].Checkpoint,
				env[1].Checkpoint))
		}
	}
	return why
}

// missingCycles says why the runs of a block are not of whole checkpoint cycles.
func (r *Result) missingCycles(b *Block) (why []string) {
	for i, run := range b.Runs {
		if run.Cycles < r.Spec.Cycles {
			why = append(why, fmt.Sprintf("run %d: %d of %d checkpoint cycles were complete after %.0f s",
				i+1, run.Cycles, r.Spec.Cycles, run.Seconds))
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
