package json

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// FuzzEscapeHidden verifies that the JSON means the same after what a terminal acts upon was escaped in it.
func FuzzEscapeHidden(f *testing.F) {
	f.Add("\u009b \u202e \U000e0041 é")
	f.Fuzz(func(t *testing.T, s string) {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		out := escapeHidden(b)
		if strings.ContainsFunc(string(out), typeset.Hidden) {
			t.Errorf("%q still acts on a terminal", out)
		}
		var before, after string
		if json.Unmarshal(b, &before) != nil || json.Unmarshal(out, &after) != nil || before != after {
			t.Errorf("%q became %q", before, after)
		}
	})
}
