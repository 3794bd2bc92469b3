package say_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// TestMessage: arguments are filled in, in English and in another language.
func TestMessage(t *testing.T) {
	m := say.M("{used} of {all} pages, {mem} each, ratio {r}", "used", 8337, "all", int64(1234567),
		"mem", 2*unit.MB, "r", 0.25)
	if got, want := m.String(), "8337 of 1,234,567 pages, 2 MB each, ratio 0.25"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnfilledStays: a placeholder without an argument is shown, not swallowed,
// and stray braces harm nothing.
func TestUnfilledStays(t *testing.T) {
	for text, want := range map[say.Template]string{"{nothing} here": "{nothing} here", "a } b { c": "a } b { c",
		"{": "{",
		"}": "}", "": ""} {
		if got := say.M(text).String(); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
	if diff := cmp.Diff([]string{"a", "b"}, say.Placeholders("{b} and {a}, {b} again")); diff != "" {
		t.Error(diff)
	}
}

// TestSources: every source has what a reader needs to find it.
func TestSources(t *testing.T) {
	ids := say.SourceIDs()
	if len(ids) < 20 {
		t.Fatalf("only %d sources", len(ids))
	}
	for _, id := range ids {
		s, ok := say.SourceByID(id)
		if !ok || s.ID != id || s.Title == "" || s.Publisher == "" || s.Date == "" ||
			!strings.HasPrefix(s.URL, "https://") {
			t.Errorf("%s: %+v", id, s)
		}
	}
}

func TestAMessageIsItsTextInJSON(t *testing.T) {
	type doc struct {
		Seen  say.Message `json:"seen"`
		Extra say.Message `json:"extra,omitzero"`
	}
	in := doc{Seen: say.M("{used} of <{all}>", "used", 3, "all", "{10}")}
	b, err := json.Marshal(in)
	if want := `{"seen":"3 of \u003c{10}\u003e"}`; err != nil || string(b) != want {
		t.Fatalf("%s, %v: want %s", b, err, want)
	}
	var out doc
	if err := json.Unmarshal(b, &out); err != nil || !out.Seen.Equal(in.Seen) || out.Seen.Args != nil ||
		!out.Extra.IsZero() {
		t.Fatalf("%+v, %v", out, err)
	}
}

func TestATranslatedMessageKeepsItsEnglish(t *testing.T) {
	c, err := say.ReadCatalogue("fr",
		"msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Plural-Forms: nplurals=2; "+
			"plural=(n > 1);\\n\"\n\nmsgid \"{n} left\"\nmsgstr \"reste {n}\"\n")
	if err != nil {
		t.Fatal(err)
	}
	m := say.M("{n} left", "n", 2).Translated(c)
	if m.String() != "reste 2" || m.English() != "2 left" {
		t.Errorf("%q, %q", m.String(), m.English())
	}
}
