package experiment

import (
	"math"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// TestOfferedTime verifies that more blocks are said to take as long as those before, and that a night between two of
// them, after which the experiment was resumed, does not count.
func TestOfferedTime(t *testing.T) {
	begun := time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
	r := Result{Design: DesignRestart, Metric: "tps", Started: begun.Format(time.RFC3339),
		Spec: Spec{Blocks: 8, Margin: 2}}
	for i := range 8 {
		at := begun.Add(time.Duration(i) * time.Minute)
		if i > 4 {
			at = at.Add(10 * time.Hour)
		}
		run := func(config string, tps float64) Run {
			return Run{Config: config, Started: at.Format(time.RFC3339Nano), TPS: tps, Seconds: 20, Transactions: 1000}
		}
		r.Blocks = append(r.Blocks, Block{Number: i + 1, Order: "AB", Runs: []Run{run("A", 100),
			run("B", 100*math.Exp(0.1*math.Sin(float64(3*i))))}})
	}
	r.Ended = begun.Add(10*time.Hour + 8*time.Minute).Format(time.RFC3339)
	r.Judge()
	o, ok := r.Offer()
	if !ok || r.Word != stat.Inconclusive || o.Blocks < fewestOffered {
		t.Fatalf("%v %+v of %s", ok, o, r.Word)
	}
	if want := Span(time.Duration(o.Blocks) * time.Minute); o.Time != want {
		t.Errorf("%d blocks are said to take %v, not %v", o.Blocks, time.Duration(o.Time), time.Duration(want))
	}
}
