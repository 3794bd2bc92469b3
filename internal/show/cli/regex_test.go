package cli

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// TestEveryRegexCompiles verifies that no expression of the readers is wrong: in the program each is compiled when it
// is first used.
func TestEveryRegexCompiles(t *testing.T) {
	if regex.CompileAll() == 0 {
		t.Error("the program has none, so none was compiled")
	}
}
