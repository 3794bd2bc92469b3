package configure

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/tier"
)

// TestBeside: the throwaway cluster that a plan is made for is on the disk that is measured.
func TestBeside(t *testing.T) {
	for _, c := range []struct{ temp, scratch, want string }{
		{"/", "", ""},
		{"/", "/nowhere/x/scratch", ""},
		{"/proc", "/nowhere/x/scratch", "/"},
		{"/", "/proc/nowhere/scratch", "/proc"},
		{"/nowhere", "/proc/scratch", ""},
	} {
		t.Setenv("TMPDIR", c.temp)
		if got := beside(c.scratch); got != c.want {
			t.Errorf("temporary files in %s, clusters in %s: %q, wanted %q", c.temp, c.scratch, got, c.want)
		}
	}
}

// TestInstalledFirst verifies that what was fetched for a demonstration does not become what experiments run, where a
// server is installed.
func TestInstalledFirst(t *testing.T) {
	list := scratch.Installed(t.Context())
	best := choose(list, 0)
	if best.Dir == "" {
		tier.Missing(t, tier.Servers, "no PostgreSQL is installed here")
	}
	for _, major := range []int{0, best.Version.Major()} {
		b, err := Programs(t.Context(), Choice{Major: major})
		if err != nil || b != best {
			t.Errorf("major %d: %v, %v, and %v is installed", major, b, err, best)
		}
	}
	for _, b := range scratch.Find(t.Context()) {
		if major := b.Version.Major(); choose(list, major).Dir == "" && supported(b) == nil {
			if got, err := Programs(t.Context(), Choice{Major: major}); err != nil || got.Version.Major() != major {
				t.Errorf("fetched %v: %v, %v", b, got, err)
			}
		}
	}
}
