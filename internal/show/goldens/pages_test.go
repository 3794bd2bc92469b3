package goldens

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/pages"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

// everyForm verifies that Markdown has no markup by chance, and that HTML has every word.
func everyForm(t *testing.T, name string, o outline.Outline) {
	t.Helper()
	var b bytes.Buffer
	if err := markdown.Write(&b, o); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range gfmWrong(b.String()) {
		t.Errorf("%s: %s", name, wrong)
	}
	page, err := html.Writer{}.Write(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range unsaidOn(t, string(page), o) {
		t.Errorf("%s: %q is in the outline and not in its HTML", name, w)
	}
}

// TestPagesInEveryForm holds the pages of everything that has one.
func TestPagesInEveryForm(t *testing.T) {
	for _, c := range checks.All() {
		everyForm(t, c.ID, pages.Check(document.CheckPage{Check: c, Pages: advice.Of(c.ID)}, nil))
	}
	for _, r := range rules.All() {
		d := document.KnobPage{Rule: r, Pages: advice.Of(string(r.Address))}
		everyForm(t, string(r.Address), pages.Knob(d, nil))
	}
	for _, u := range rules.ReadNotPlanned() {
		everyForm(t, string(u.Address), pages.Unplanned(document.UnplannedPage{Unplanned: u}, nil))
	}
	for _, a := range advice.All() {
		everyForm(t, a.ID, pages.Advice(a, nil))
	}
	everyForm(t, "index", pages.Index(checks.All(), rules.All(), advice.All(), nil))
}

// TestPagesSayWhatIsHere holds the last section of a page, on a terminal: what a check found, and what a setting is and
// would be.
func TestPagesSayWhatIsHere(t *testing.T) {
	of := func(o outline.Outline) string {
		var b strings.Builder
		if err := term.Write(&b, o, term.Style{Width: 60}); err != nil {
			t.Fatal(err)
		}
		everyForm(t, "here", o)
		_, here, _ := strings.Cut(b.String(), "\nOn this host\n")
		return here
	}
	finding := check.Finding{ID: "x", Severity: check.Warning, Instance: "/srv/pg", Seen: say.Text("it was seen")}
	gap := known.Gap{Fact: "fact", Reason: "no right", Reveal: "ask root"}
	for want, here := range map[string]document.Check{
		"  No findings on this host.\n": {},
		"  WARNING   /srv/pg: it was seen\n" +
			"  accepted  /srv/pg: it was seen (until 2027-01-31: known)\n" +
			"  ~ fact: no right. To find out: ask root\n": {Report: check.Report{Findings: []check.Finding{finding},
			Accepted: []check.Accepted{{Finding: finding, Reason: "known", Expires: "2027-01-31"}},
			Unknown:  []known.Gap{gap}}},
	} {
		if got := of(pages.Check(document.CheckPage{Check: checks.All()[0], Here: &here}, nil)); got != want {
			t.Errorf("%s", got)
		}
	}
	here := []document.KnobHere{
		{Present: known.Is(rule.Value{Setting: "7"}), Planned: "7", Reason: "it fits"},
		{Instance: "/srv/pg", Present: known.Is(rule.Value{Setting: "7"}), Planned: "8", Changes: true,
			Reason: strings.Repeat("a reason ", 7), Inputs: []rule.Input{{Name: "ram", Value: "64 GB"}}},
		{Subject: "vda", Present: known.None[rule.Value](known.Gap{})}}
	want := `  now 7; kept
  reason it fits
  /srv/pg
    now 7 → planned 8
    reason a reason a reason a reason a reason a reason a
           reason a reason
    inputs ram 64 GB
  vda
    now none; not planned here
  ~ fact: no right. To find out: ask root
`
	k := document.KnobPage{Rule: rules.All()[0], Looked: true, Here: here, Gaps: []known.Gap{gap}}
	if got := of(pages.Knob(k, nil)); got != want {
		t.Errorf("%s", got)
	}
	if got := of(pages.Unplanned(document.UnplannedPage{Looked: true}, nil)); got !=
		"  The setting does not apply to this host.\n" {
		t.Errorf("%s", got)
	}
}
