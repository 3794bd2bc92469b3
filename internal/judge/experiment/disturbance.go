package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// The rules by which a block is discarded, fixed before any run. They see neither which configuration a run was of nor
// what it measured, and what they look at is the same after an exchange of the two runs: so they cannot favor one.
const (
	// MostClockStep is how far the wall clock may move against the monotonic one over a run, in ms.
	MostClockStep = 100.
	// MostCheckpoint is how many more checkpoints one run of a block may have than the other.
	MostCheckpoint = 1
	// MostTaken is by how much of the CPU time, in per cent, what others took may differ between the runs of a block
	// on a quiet machine: about so much it moves their ratio, and it is the margin of equivalence.
	MostTaken = 2.0
	// MostCalibrationCPU, MostCalibrationMemory and MostCalibrationSync are the ratios of the calibrations before the
	// runs of a block on a quiet machine. On an idle virtual disk fsync deviates by half, on an idle virtual machine
	// what copies memory by a tenth.
	MostCalibrationCPU    = 1.15
	MostCalibrationMemory = 1.3
	MostCalibrationSync   = 2.0
	// Outlier is how many times the median deviation of all blocks one has to have to stand out: three standard
	// deviations where these are normal, whose median is at 0.674 of one. What deviates no more than the others is
	// noise, which widens the interval and favors no configuration.
	Outlier = 3 / 0.6745
	// Busy is what others take of the CPU time in the median run, in per cent, from which on the verdict says that
	// the machine is busy.
	Busy = 3.0
)

// broken says why a block cannot count, whatever the machine did: in English, as the document has it; gapwords knows
// these texts again.
func (r *Result) broken(b *Block) (why []string) {
	for i := range b.Runs {
		run := &b.Runs[i]
		tell := func(text say.Template, pairs ...any) {
			why = append(why, say.M(text, append(pairs, "n", i+1)...).English())
		}
		if step := math.Abs(float64(run.Environment.ClockStep)); step > MostClockStep {
			tell("run {n}: the clock was set, by {share} (most: {most})", "share", fmt.Sprintf("%.0f ms", step),
				"most", fmt.Sprintf("%.0f ms", MostClockStep))
		}
		if run.Environment.Wraparound {
			tell("run {n}: a vacuum against wraparound was at work")
		}
		if failed := run.Failed + int64(len(run.Errors)); failed > 0 {
			tell("run {n}: {count} transactions failed", "count", strconv.FormatInt(failed, 10))
		}
		if run.Cycles < r.Spec.Cycles {
			tell("run {n}: {count} of {most} checkpoint cycles were complete after {share}",
				"count", strconv.Itoa(run.Cycles), "most", strconv.Itoa(r.Spec.Cycles),
				"share", fmt.Sprintf("%.0f s", run.Seconds))
		}
	}
	if len(b.Runs) == 2 {
		one, two := b.Runs[0].Environment.Checkpoint, b.Runs[1].Environment.Checkpoint
		if d := one - two; d > MostCheckpoint || d < -MostCheckpoint {
			why = append(why, say.M("one run had {n} checkpoints, the other {most}", "n",
				strconv.Itoa(one), "most", strconv.Itoa(two)).English())
		}
	}
	return why
}

// Taken is the share of all CPU time in a run that others took, the hypervisor and other programs; NaN if neither is
// known.
func (e Environment) Taken() float64 {
	sum, known := 0., false
	for _, part := range []stat.Number{e.Steal, e.Foreign} {
		if part.Known() {
			sum, known = sum+float64(part)/100, true
		}
	}
	if !known {
		return math.NaN()
	}
	return min(sum, 0.99) // ticks of two files may add up to a little more than all
}

// disturbance is one thing in which the machine may have been different in the runs of a block.
type disturbance struct {
	// of is its size in a run, as a logarithm: a difference of 0.05 would make one run slower by 5 %
	of func(Environment) float64
	// most is the difference that a quiet machine may have
	most float64
	// tell says that a block stands out: its runs had one and two, the median difference is usual
	tell func(one, two Environment, usual float64) say.Message
}

// size is the logarithm of what is above zero, and NaN of what is not: a document may lack a calibration.
func size(n stat.Number) float64 {
	if !n.Known() || n <= 0 {
		return math.NaN()
	}
	return math.Log(float64(n))
}

func disturbances() []disturbance {
	calibration := func(of func(Environment) stat.Number, most float64, text say.Template) disturbance {
		return disturbance{of: func(e Environment) float64 { return size(of(e)) }, most: math.Log(most),
			tell: func(one, two Environment, usual float64) say.Message {
				return say.M(text, "one", fmt.Sprintf("%.3g ms", float64(of(one))),
					"two", fmt.Sprintf("%.3g ms", float64(of(two))), "usual", fmt.Sprintf("%.0f %%",
						100*math.Expm1(usual)))
			}}
	}
	return []disturbance{
		{of: func(e Environment) float64 { return -math.Log1p(-e.Taken()) }, most: -math.Log1p(-MostTaken / 100),
			tell: func(one, two Environment, usual float64) say.Message {
				return say.M("other load took {one} of the CPU time in run 1 and {two} in run 2 (usual difference: "+
					"{usual})",
					"one", fmt.Sprintf("%.1f %%", 100*one.Taken()), "two", fmt.Sprintf("%.1f %%", 100*two.Taken()),
					"usual", fmt.Sprintf("%.1f %%", -100*math.Expm1(-usual)))
			}},
		calibration(func(e Environment) stat.Number { return e.CalibrationCPU }, MostCalibrationCPU,
			"fixed CPU work took {one} before run 1 and {two} before run 2 (usual difference: {usual})"),
		calibration(func(e Environment) stat.Number { return e.CalibrationMemory }, MostCalibrationMemory,
			"copying memory took {one} before run 1 and {two} before run 2 (usual difference: {usual})"),
		calibration(func(e Environment) stat.Number { return e.CalibrationSync }, MostCalibrationSync,
			"fsyncs took {one} before run 1 and {two} before run 2 (usual difference: {usual})"),
	}
}

// standOut says of each block why its runs were disturbed differently, more than those of the others: nil if they were
// not.
func standOut(blocks []*Block) [][]string {
	why := make([][]string, len(blocks))
	for _, d := range disturbances() {
		differences := make([]float64, len(blocks))
		var known []float64
		for i, b := range blocks {
			differences[i] = math.Abs(d.of(b.Runs[0].Environment) - d.of(b.Runs[1].Environment))
			if !math.IsNaN(differences[i]) {
				known = append(known, differences[i])
			}
		}
		usual := stat.Median(known)
		for i, b := range blocks {
			if differences[i] > max(d.most, Outlier*usual) {
				why[i] = append(why[i], d.tell(b.Runs[0].Environment, b.Runs[1].Environment, usual).English())
			}
		}
	}
	return why
}

// Disturbed is what others took of the machine while the runs that count were made.
type Disturbed struct {
	Median, Most float64 // share of the CPU time in a run; NaN: not known
	// by how much more of it the runs of B lost than those of A; its interval of 95 %. NaN: not known
	Difference, Low, High float64
}

// Disturbed adds it up.
func (r *Result) Disturbed() Disturbed {
	var all, differences []float64
	for i := range r.Blocks {
		b := &r.Blocks[i]
		if len(b.Discarded) > 0 {
			continue
		}
		for k := range b.Runs {
			if t := b.Runs[k].Environment.Taken(); !math.IsNaN(t) {
				all = append(all, t)
			}
		}
		if one, two := b.Run("A"), b.Run("B"); one != nil && two != nil {
			if d := two.Environment.Taken() - one.Environment.Taken(); !math.IsNaN(d) {
				differences = append(differences, d)
			}
		}
	}
	d := Disturbed{Median: stat.Median(all), Most: math.NaN()}
	if len(all) > 0 {
		d.Most = slices.Max(all)
	}
	e := stat.NewEstimate(differences)
	d.Difference = e.Mean
	d.Low, d.High = e.Interval(1 - stat.Level)
	return d
}

// Uneven reports whether the runs of one configuration lost so much more CPU time than those of the other, in all
// blocks, that it may be a part of the difference: half of the margin. What disturbs by chance does not; a
// configuration
// may bring it about itself, as one with huge pages does on a virtual machine that gives memory back to its host.
func (d Disturbed) Uneven() bool {
	return (d.Low > 0 || d.High < 0) && math.Abs(d.Difference) > MostTaken/200
}
