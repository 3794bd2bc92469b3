package render

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/prove"
	"github.com/pgfettle/pgfettle/internal/judge/result"
)

// TestDesignWords holds that what will be done is told as it will be: nothing is
// said to warm up for 0 s, and nothing to last for 0 s.
func TestDesignWords(t *testing.T) {
	for want, e := range map[string]prove.Experiment{
		"8 blocks of two runs of 120 s, one of each arm, in balanced order (AB, BA) drawn by seed 42. Before each run the server is started with its configuration, every value is verified, " +
			"the load warms up until its rate is flat (at most 300 s), and a checkpoint is made.": {
			Design: result.Restart, Spec: result.Spec{Blocks: 8, Duration: 120, Warmup: 300, Seed: 42}},
		"1 block of two runs of 100 transactions of each client, one of each arm, the same ones in both, in balanced order (AB, BA) drawn by seed 42. Before each run the server is started with its configuration, every value is verified, " +
			"there is no warm-up, and a checkpoint is made.": {
			Design: result.Restart, Spec: result.Spec{Blocks: 1, Count: 100, Seed: 42}},
		"3 runs of 120 s. Before each the server is started, the load warms up until its rate is flat (at most 5 s), and a checkpoint is made. Nothing is compared, so there is no verdict.": {
			Design: result.Single, Spec: result.Spec{Blocks: 3, Duration: 120, Warmup: 5}},
		"8 blocks. Both servers are up, and slices of 2 s are loaded by turns in balanced order, 40 s of each arm a block: what drifts slowly is in both.": {
			Design: result.Slices, Spec: result.Spec{Blocks: 8, Duration: 40, Slice: 2, Warmup: 300}},
	} {
		if got := designWords(&e); got != want {
			t.Errorf("told as\n%s\nnot\n%s", got, want)
		}
	}
}
