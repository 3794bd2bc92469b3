package gap_test

import (
	"encoding/json"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
)

// TestJSON verifies that a gap is written as a missing fact is, and that what would reveal it is omitted if nothing
// would.
func TestJSON(t *testing.T) {
	for _, g := range []known.Gap{{Fact: "a", Reason: "b", Reveal: "c"}, {Fact: "a", Reason: "b"}} {
		want, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(gap.Of(g))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s, want %s (%v)", got, want, err)
		}
		if back := gap.All([]known.Gap{g})[0].Known(); back != g {
			t.Errorf("%+v", back)
		}
	}
}

// TestAdd verifies that a gap is listed once, however it was made.
func TestAdd(t *testing.T) {
	made := gap.Gap{Fact: say.M("server"), Reason: say.M("no answer within {time}", "time", say.Number("5 s"))}
	list := gap.Add(gap.Add(nil, made), gap.Of(known.Gap{Fact: "server", Reason: "no answer within 5 s"}))
	if len(list) != 1 || !list[0].Is("server") {
		t.Errorf("%+v", list)
	}
	if list = gap.Add(list, gap.Of(known.Gap{Fact: "server", Reason: "it is down"})); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}
