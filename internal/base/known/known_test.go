package known_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// TestForgottenFactIsNoFact: the zero value is unread, and says so.
func TestForgottenFactIsNoFact(t *testing.T) {
	var f known.Fact[int]
	if _, ok := f.Get(); ok || f.State() != known.Unread || f.Gap().Reason == "" {
		t.Errorf("the zero value passes for a fact: %+v", f)
	}
}

// TestJSONKeepsStates: a fact comes back from JSON as it went in, a zero included.
func TestJSONKeepsStates(t *testing.T) {
	gap := known.Gap{Fact: "proc/meminfo", Reason: "permission denied", Reveal: "run as root"}
	for _, f := range []known.Fact[int]{known.Is(0), known.Is(7), known.None[int](gap), known.Barred[int](gap),
		known.Missed[int](gap)} {
		b, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var back known.Fact[int]
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if back != f {
			t.Errorf("%s came back as %+v, was %+v", b, back, f)
		}
	}
	var f known.Fact[int]
	for _, bad := range []string{`{}`, `{"is":"text"}`, `3`, `{"absent":3}`} {
		if err := json.Unmarshal([]byte(bad), &f); err == nil {
			t.Errorf("%s was read as a fact", bad)
		}
	}
}

// TestMissingStaysMissing: what is made of a missing fact is missing for the same reason.
func TestMissingStaysMissing(t *testing.T) {
	gap := known.Gap{Fact: "a", Reason: "b", Reveal: "c"}
	f := known.Map(known.Barred[int](gap), func(int) string { t.Error("a missing value was used"); return "" })
	if f.State() != known.Forbidden || f.Gap() != gap {
		t.Errorf("%v %+v", f.State(), f.Gap())
	}
	g := known.Try(known.Is("x"), "name", func(string) (int, error) { return 0, errors.New("not a number") })
	if g.Known() || g.Gap().Fact != "name" || g.Gap().Reason != "malformed: not a number" {
		t.Errorf("%+v", g.Gap())
	}
	if h := known.Without[int](known.Present, gap); h.Known() {
		t.Error("a fact without a value is present")
	}
}
