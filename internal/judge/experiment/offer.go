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
// is
// smaller, and what they would find where that is too many. ok is false where it is decided, not at its end, or may not
// be extended: a copy of a live database is gone, and each further look is paid for.
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
	began, err := time.Parse(time.RFC3339, r.Started)
	ended, e := time.Parse(time.RFC3339, r.Ended)
	if n := len(r.Blocks); err == nil && e == nil && n > 0 && ended.After(began) {
		o.Time = Span(ended.Sub(began) / time.Duration(n) * time.Duration(o.Blocks))
	}
	return o, finds < stat.Log(float64(r.MDE))
}
