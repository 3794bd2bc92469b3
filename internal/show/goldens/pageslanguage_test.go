package goldens

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/pages"
)

// TestPagesAreInOneLanguage: where a page has a text in the reader's language, the English of it is nowhere on it.
func TestPagesAreInOneLanguage(t *testing.T) {
	for _, lang := range []string{"fr", "ru"} {
		in, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		hold := func(id string, o outline.Outline, english ...string) {
			b, err := json.Marshal(o) // the words as they are, not wrapped
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range english {
				if e == "" || in.Text(e) == e { // a name alone
					continue
				}
				n++
				said, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(b), strings.Trim(string(said), `"`)) {
					t.Errorf("%s, %s: %q", lang, id, e)
				}
			}
		}
		for _, c := range append(checks.All(), conffile.Kinds()...) {
			hold(c.ID, pages.Check(document.CheckPage{Check: c}, in), c.Title, c.Why)
		}
		for _, r := range rules.All() {
			hold(string(r.Address), pages.Knob(document.KnobPage{Rule: r}, in), r.Title, r.Why, r.Formula)
		}
		for _, u := range rules.ReadNotPlanned() {
			hold(string(u.Address), pages.Unplanned(document.UnplannedPage{Unplanned: u}, in), u.Why)
		}
		for _, a := range advice.All() {
			if p := a.In(in); p.Title == a.Title {
				t.Errorf("%s: page %s is in English", lang, a.ID)
			}
		}
		if n < 700 { // two or three texts of each of some 450 pages
			t.Errorf("%s: only %d texts were looked for", lang, n)
		}
	}
}
