package serverlog

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/test/translated"
)

// TestIn verifies that each text of a report follows the language.
func TestIn(t *testing.T) {
	r := reported(t, Options{},
		at("09:00:00", "LOG:  server process (PID 7) was terminated by signal 9: Killed"),
		at("09:00:01", "LOG:  database system is ready to accept connections"),
		at("09:00:02", "FATAL:  sorry, too many clients already"))
	if len(r.Crashes) != 1 || len(r.Findings) != 2 || len(r.Unknown) == 0 {
		t.Fatalf("%+v", r)
	}
	translated.Whole(t, r, func(r *Report, c *say.Catalogue) *Report { return r.In(c) })
}
