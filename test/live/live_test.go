package live

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
)

// TestServersAreHere: each major version that is tested is available, and is what it claims to be. make test runs it
// before all others, so that what has to be fetched once is not fetched within the time that their tests may take.
func TestServersAreHere(t *testing.T) {
	found, _ := Binaries()
	majors := map[scratch.Binaries]int{}
	for m, b := range found {
		majors[b] = m
	}
	Each(t, func(t *testing.T, b scratch.Binaries) {
		if got := b.Version.Major(); got != majors[b] {
			t.Errorf("%s is taken for %d", b, majors[b])
		}
	})
}
