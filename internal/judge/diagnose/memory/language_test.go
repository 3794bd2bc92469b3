package memory_test

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/test/translated"
)

// TestIn verifies that each text of a report follows the language.
func TestIn(t *testing.T) {
	for name, r := range crowds(t) {
		t.Run(name, func(t *testing.T) {
			translated.Whole(t, r, func(r *memory.Report, c *say.Catalogue) *memory.Report { return r.In(c) })
		})
	}
}
