package servers

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// soak is how long the two tests that draw at random go on with new seeds, half of
// it each: make soak.
var soak = flag.Duration("soak", 0, "let the two tests that draw at random go on with new seeds for so long together")

// seedOf is the variable that repeats a round.
const seedOf = "PGFETTLE_TEST_SEED"

// rounds runs a round with the seed of the environment, otherwise a new one, which it prints. Under -soak others
// follow, until the time is over or one has failed.
func rounds(t *testing.T, round func(seed uint64)) {
	t.Helper()
	seed := rand.Uint64N(1 << 32)
	if text, told := os.LookupEnv(seedOf); told {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", seedOf, err)
		}
		seed = n
	}
	end := time.Now().Add(*soak / 2)
	for n := 1; ; n++ {
		if n > 1 {
			seed = rand.Uint64N(1 << 32)
		}
		t.Logf("round %d: repeat it with %s=%d", n, seedOf, seed)
		progress("%s: round %d, %s=%d", t.Name(), n, seedOf, seed)
		round(seed)
		if t.Failed() || !time.Now().Before(end) {
			return
		}
	}
}

// inARound is how much a round draws: few in a test that many wait for each day, which draws others
// each time, and more where a person lets it go on.
func inARound(few, soaked int) int {
	if *soak > 0 {
		return soaked
	}
	return few
}

// progress shows how far a run under -soak is.
func progress(format string, args ...any) {
	if *soak > 0 {
		fmt.Fprintf(os.Stderr, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
	}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
