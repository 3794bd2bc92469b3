package sessions

import "testing"

// TestSessionsCanFail holds what a session may omit and what it may not, and what -update makes of one that is not the
// case any more.
func TestSessionsCanFail(t *testing.T) {
	const printed = "Plan\nshared_buffers   128MB → 16GB\n  a quarter\nwork_mem  4MB → 80MB\n\n34 changes; 48 stay."
	for want, yes := range map[string]bool{
		printed:                                      true,
		"Plan\n…\nwork_mem 4MB → 80MB\n…":            true,
		"…\n… changes; … stay.":                      true,
		"…\nshared_buffers 128MB → 8GB\n…":           false,
		"…\n33 changes; … stay.":                     false,
		"…\nwork_mem 4MB → 80MB":                     false,
		"…\nwork_mem 4MB → 80MB\n…\nshared_buffers…": false,
	} {
		if got := matches(want, printed); got != yes {
			t.Errorf("%q: %v", want, got)
		}
	}
	for want, now := range map[string]string{
		"Plan\n…\nwork_mem  4MB → 64MB\n…\n… changes; … stay.": "Plan\n…\nwork_mem  4MB → 80MB\n…\n… changes; … stay.",
		"…\nshared_buffers   128MB → 8GB\n  an eighth\n…":      "…\nshared_buffers   128MB → 16GB\n  a quarter\n…",
	} {
		if got, ok := rewritten(want, printed); !ok || got != now || !matches(got, printed) {
			t.Errorf("%q became %q, not %q", want, got, now)
		}
	}
	if _, ok := rewritten("a\nb\n…\nc", "x\ny"); ok {
		t.Error("more lines are shown than were printed")
	}
}
