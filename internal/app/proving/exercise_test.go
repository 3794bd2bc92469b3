package proving

import (
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// TestExercisesTakeMinutes verifies that an exercise is estimated to take no longer than the help of prove says.
func TestExercisesTakeMinutes(t *testing.T) {
	for _, x := range experiment.Exercises() {
		w, err := workload.Find(x.Workload)
		if err != nil {
			t.Fatal(err)
		}
		design, most := x.Design, 10*time.Minute
		if design == "" {
			design = experiment.DesignSlices
		}
		if x.Kernel {
			most = 20 * time.Minute
		}
		const clients, memory = 8, 24 << 30
		e := &engine.Order{Experiment: experiment.Experiment{Design: design, Restore: x.Restore, Scale: x.Scale,
			Spec: experiment.Spec{Blocks: 8, Clients: clients, Warmup: x.Warmup, Duration: x.Duration,
				Slice: min(5, x.Duration)}}, Load: &loadgen.Pgbench{Workload: w}}
		if x.Clients > 0 {
			e.Spec.Clients = x.Clients
		}
		if w.Stream && x.Clients == 0 {
			e.Spec.Clients = 1
		}
		if x.Times > 0 {
			e.Scale = w.ScaleFor(memory, x.Times)
		}
		if got := engine.Estimate(e).Time; got > most || got < time.Minute {
			t.Errorf("%s is estimated to take %v, and the help says %v", x.Name, got, most)
		}
	}
}
