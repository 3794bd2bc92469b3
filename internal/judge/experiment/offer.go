package experiment

import (
	"math"
	"time"

	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// Offer is what more blocks would tell of an experiment that did not decide.
type Offer struct {
	Blocks  int
	Time    Span        // of all of them, as long as those before took; 0: not known
	Finds   stat.Number // the change that all blocks together would find four times out of five, in per cent
	Level   float64     // at which they are judged
	Decides bool        // Finds is not above the effect that was seen, or the margin
}

// mostOffered bounds an offer: more than three times the usual number is another experiment, with longer runs.
const mostOffered = 24

// fewestOffered is the least that is worth loading the data again for.
const fewestOffered = 4

// Offer returns how many more blocks would find a change as large as the one that was seen, or as the margin where it
// is smaller, and what they would find where that is too many. ok is false where it is decided, not at its end, or may
// not be extended: a copy of a live database is gone, and each further look is paid for.
func (r *Result) Offer() (o Offer, ok bool) {
	sd := stat.Log(float64(r.SD))
	if r.Word != stat.Inconclusive || r.Ended == "" || r.Workload.Synthetic || r.Spec.Extended >= MostExtended ||
		!(sd > 0) {
		return o, false
	}
	next := r.Spec
	next.Extended++
	o.Level = next.Level()
	wanted := max(math.Abs(stat.Log(float64(r.Effect))), stat.Log(float64(r.Verdict.Margin)))
	o.Blocks = mostOffered
	if n := stat.BlocksFor(sd, wanted, o.Level); n > 0 {
		o.Blocks = min(max(n-r.N, fewestOffered), mostOffered)
	}
	finds := stat.Detectable(sd, r.N+o.Blocks, o.Level)
	o.Finds, o.Decides = stat.Number(stat.Percent(finds)), finds <= wanted
	o.Time = Span(time.Duration(o.Blocks) * r.blockTime())
	return o, finds < stat.Log(float64(r.MDE))
}

// blockTime is how long a block takes from one to the next, in the median: an experiment that was interrupted, or had
// blocks added later, has a long pause somewhere; 0: not known.
func (r *Result) blockTime() time.Duration {
	var begun []time.Time
	for _, b := range r.Blocks {
		for _, run := range b.Runs[:min(1, len(b.Runs))] {
			if t, err := time.Parse(time.RFC3339, run.Started); err == nil {
				begun = append(begun, t)
			}
		}
	}
	if end, err := time.Parse(time.RFC3339, r.Ended); err == nil {
		begun = append(begun, end)
	}
	var took []float64
	for i := 1; i < len(begun); i++ {
		took = append(took, begun[i].Sub(begun[i-1]).Seconds())
	}
	if len(took) == 0 {
		return 0
	}
	return time.Duration(max(0, stat.Median(took)) * float64(time.Second))
}
