package web

import (
	"bytes"
	"encoding/json"
	"flag"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	facts "github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/test/page"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// given reads a document from a case of the forms for terminals: pages are held
// to the same ones.
func given(t *testing.T, name string, v any) {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("../goldens/testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		if f.Name == "given.json" {
			if err := json.Unmarshal(f.Data, v); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%s has no given.json", name)
}

// sound writes a page in both forms and holds it to the rules of the package; it
// returns the one that is served, which has no style sheet in it.
func sound(t *testing.T, p Page) string {
	t.Helper()
	var served string
	for _, standalone := range []bool{true, false} {
		p.Standalone = standalone
		var b bytes.Buffer
		if err := Write(&b, p); err != nil {
			t.Fatal(err)
		}
		for _, problem := range page.Problems(b.Bytes(), standalone) {
			t.Errorf("standalone %v: %s", standalone, problem)
		}
		served = b.String()
	}
	return served
}

// golden compares a page with the one that is kept. ESC and CR would not survive
// an editor, and cannot be there: sound has looked.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".html")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

func TestCheckPages(t *testing.T) {
	for _, name := range []string{"alike", "hostile", "nothing", "worst_first"} {
		t.Run(name, func(t *testing.T) {
			var d document.Check
			given(t, "check/"+name, &d)
			p, err := CheckPage(d, View{})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "check/"+name, sound(t, p))
		})
	}
}

func TestPlanPages(t *testing.T) {
	for _, name := range []string{"server", "shortfall", "no_host", "hostile_values", "devices"} {
		t.Run(name, func(t *testing.T) {
			var d document.Plan
			given(t, "plan/"+name, &d)
			p, err := PlanPage(d, View{Explain: "/explain/"})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "plan/"+name, sound(t, p))
		})
	}
}

// TestLanguages verifies that a page declares its language and is written in it.
func TestLanguages(t *testing.T) {
	var c document.Check
	given(t, "check/worst_first", &c)
	for _, lang := range say.Languages() {
		words, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		p, err := CheckPage(c, View{Words: words})
		if err != nil {
			t.Fatal(err)
		}
		text := sound(t, p)
		if !strings.Contains(text, `<html lang="`+lang+`">`) {
			t.Errorf("%s: the page does not say so", lang)
		}
		if english := strings.Contains(text, "<dt>why</dt>"); english != (lang == say.English) {
			t.Errorf("%s: English words: %v", lang, english)
		}
	}
}

// TestHostileTextIsText verifies that no text of a document becomes a part of the page, whichever field it is in.
func TestHostileTextIsText(t *testing.T) {
	const bad = `</title></style><script>alert(1)</script><img src=x onerror=alert(2)>"'` +
		"\x00\x1b[2J\u202e\xff{{.}} javascript:alert(3)"
	var c document.Check
	given(t, "check/worst_first", &c)
	c.Subject.Host, c.Policy = bad, bad
	c.Subject.Instances[0].Label, c.Subject.Instances[0].Version = bad, bad
	c.Unknown[0].Fact, c.Unknown[0].Reason, c.Unknown[0].Reveal = bad, bad, bad
	for i := range c.Findings {
		f := &c.Findings[i]
		f.ID, f.Instance, f.Title, f.Seen, f.Why, f.Do, f.Sources = bad, bad, bad, say.Text(bad),
			bad, say.Text("do:\n  "+bad), []say.Source{{ID: bad, Title: bad, Publisher: bad, URL: bad}}
	}
	var d document.Plan
	given(t, "plan/server", &d)
	d.Subject.Host = bad
	d.Warnings = append(d.Warnings, say.Text(bad))
	for i := range d.Changes {
		ch := &d.Changes[i]
		ch.From, ch.To, ch.Unit, ch.Title, ch.Reason, ch.Sources = bad, bad, bad, bad, say.Text(bad), []string{bad}
		for j := range ch.Inputs {
			ch.Inputs[j].Name, ch.Inputs[j].Value = bad, bad
		}
	}
	for i := range d.Shared {
		d.Shared[i].Instance = bad
	}
	v := View{Explain: "/explain/"}
	cp, err := CheckPage(c, v)
	if err != nil {
		t.Fatal(err)
	}
	pp, err := PlanPage(d, v)
	if err != nil {
		t.Fatal(err)
	}
	r := whole(t)
	r.Check, r.Plan = c, d
	r.Missing = append(r.Missing, known.Gap{Fact: bad, Reason: bad, Reveal: bad})
	host := *r.Snapshot
	r.Snapshot = &host
	host.Host.OS = known.Is(facts.OS{Name: bad})
	host.Host.Kernel = known.Is(unit.Kernel{Release: bad})
	host.Host.Virt = known.Is(facts.Virt{Kind: bad, Container: bad})
	host.Instances = slices.Clone(host.Instances)
	host.Instances[0].DataDirectory = known.Is(bad)
	host.Instances[0].Server.Settings = known.Is(pg.Settings{bad: {Name: bad, Value: bad, Boot: "x", Source: bad,
		File: bad, Line: 3, PendingRestart: true}})
	rp, err := ReportPage(r, v)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Page{cp, pp, rp, {Title: bad, Body: "<p>x</p>", Made: bad}} {
		p.Nav = append(p.Nav, Link{Href: "#main", Text: bad})
		text := sound(t, p)
		for _, part := range []string{"<script>", "<img", "\x1b", "\u202e"} {
			if strings.Contains(text, part) {
				t.Errorf("%s: %q is in the page", p.Title[:5], part)
			}
		}
	}
	out, err := fragment("page", struct {
		Page
		Sheet                template.CSS
		Policy, Skip, Places string
	}{Page: Page{Title: "x", Lang: "en", Nav: []Link{{Href: "javascript:alert(1)", Text: "x"}}}, Skip: "x",
		Places: "x"})
	if err != nil || strings.Contains(string(out), "javascript:") {
		t.Errorf("a script as a link: %v\n%s", err, out)
	}
}

// TestAssets verifies that what a served page names is there, and loads nothing.
func TestAssets(t *testing.T) {
	for _, name := range []string{"pgfettle.css", "icon.svg"} {
		b, err := fs.ReadFile(Assets(), name)
		if err != nil || len(b) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if s := string(b); strings.Contains(s, "url(") || strings.Contains(s, "@import") {
			t.Errorf("%s loads something", name)
		}
	}
}

// TestAScriptIsServed verifies that a page of one file has none.
func TestAScriptIsServed(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, Page{Title: "x", Script: "/assets/x.js", Standalone: true}); err == nil {
		t.Error("a page that stands alone was given a script")
	}
	if err := Write(&b, Page{Title: "x", Script: "/assets/x.js"}); err != nil ||
		!strings.Contains(b.String(), `<script src="/assets/x.js" defer>`) {
		t.Errorf("%v\n%s", err, b.String())
	}
	if err := Write(&b, Page{Title: "x", Lang: "xx"}); err == nil {
		t.Error("a language that there are no texts of")
	}
}
