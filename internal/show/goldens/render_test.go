package goldens

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// FuzzSplitList verifies that names put together as the server writes them come apart again.
func FuzzSplitList(f *testing.F) {
	f.Add("a", "b,c")
	f.Add(`q"uote`, " spaced ")
	f.Fuzz(func(t *testing.T, a, b string) {
		quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		got := conf.SplitList(quote(a) + ", " + quote(b))
		if len(got) != 2 || got[0] != a || got[1] != b {
			t.Errorf("%q, %q came apart as %q", a, b, got)
		}
	})
}
