package goldens

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/judge/search"
	"github.com/pgfettle/pgfettle/internal/show/document"
	showjson "github.com/pgfettle/pgfettle/internal/show/json"
)

// TestExplainJSON holds the page of everything that has one to the schema.
func TestExplainJSON(t *testing.T) {
	french, err := say.Open("fr")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile(schemaFile("explain"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	hold := func(write func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Error(err)
		}
		if hasNull(v) {
			t.Errorf("a null stands in %s", b.Bytes())
		}
		var d struct{ Kind string }
		if err := json.Unmarshal(b.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		kinds[d.Kind]++
	}
	found := document.Check{Report: check.Report{Findings: []check.Finding{
		{ID: "x", Area: "memory", Title: "t", Seen: say.Text("s"), Why: "w", Do: say.Text("d"),
			Sources: say.SourcesOf([]string{"pg-config"})}},
		Accepted: []check.Accepted{{Finding: check.Finding{ID: "x", Area: "memory", Title: "t", Seen: say.Text("s"),
			Why: "w", Do: say.Text("d"), Sources: say.SourcesOf([]string{"pg-config"})}, Reason: "r",
			Expires: check.Never}}}}
	for _, here := range []*document.Check{nil, {}, &found} {
		for _, c := range append(checks.All(), conffile.Kinds()...) {
			hold(func(b *bytes.Buffer) error {
				return showjson.ExplainCheck(b, document.CheckPage{Check: c, Pages: advice.Of(c.ID), Here: here},
					french)
			})
		}
	}
	somewhere := []document.KnobHere{{Instance: "/srv/pg", Present: known.Is(rule.Value{Setting: "7"}), Planned: "8",
		Changes: true, Reason: "r", Inputs: []rule.Input{{Name: "a", Value: "b"}}},
		{Subject: "vda", Present: known.Missed[rule.Value](known.Gap{Fact: "f", Reason: "r"})},
		{Present: known.None[rule.Value](known.Gap{})}}
	for _, looked := range []bool{false, true} {
		for _, r := range rules.All() {
			hold(func(b *bytes.Buffer) error {
				return showjson.ExplainKnob(b, document.KnobPage{Rule: r, Pages: advice.Of(string(r.Address)),
					Looked: looked, Here: somewhere, Gaps: []known.Gap{{Fact: "f", Reason: "r"}}}, nil)
			})
		}
		for _, u := range rules.ReadNotPlanned() {
			hold(func(b *bytes.Buffer) error {
				return showjson.ExplainUnplanned(b, document.UnplannedPage{Unplanned: u, Looked: looked}, french)
			})
		}
	}
	for _, a := range advice.All() {
		hold(func(b *bytes.Buffer) error { return showjson.ExplainPage(b, a, french) })
	}
	hold(func(b *bytes.Buffer) error { return showjson.Index(b, checks.All(), rules.All(), advice.All(), french) })
	pages := []*search.Page{{Name: "catalog_bloat", Titles: []string{"System catalog bloat"}},
		{Name: "pg:deadlock_timeout"}} // one that is not planned has no title
	hold(func(b *bytes.Buffer) error { return showjson.ExplainFound(b, "bloat", pages, french) })
	for _, k := range []string{"check", "knob", "unplanned", "page", "index", "search"} {
		if kinds[k] == 0 {
			t.Errorf("no page of the kind %q was written", k)
		}
	}
}
