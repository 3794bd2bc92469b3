package advice_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/docs/pages"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
)

// catalogs are those of all languages but English.
func catalogs(t *testing.T) (out []*say.Catalogue) {
	t.Helper()
	for _, lang := range say.Languages() {
		c, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		if c != nil {
			out = append(out, c)
		}
	}
	return out
}

// TestTranslations lists the pages that a language lacks, and those whose English was edited since they were
// translated. Both are shown in English, which is a fault only of a language that is called complete.
func TestTranslations(t *testing.T) {
	for _, c := range catalogs(t) {
		report := t.Logf
		if say.Complete(c.Lang) {
			report = t.Errorf
		}
		got := advice.TranslationsOf(pages.Files, c.Lang, advice.All())
		for _, err := range got.Wrong {
			t.Error(err)
		}
		for _, p := range got.Missing {
			report("%s/%s.md is missing; of: %s", c.Lang, p.ID, p.Hash())
		}
		for _, p := range got.Stale {
			report("%s/%s.md is outdated: compare it with the English page, then write of: %s", c.Lang, p.ID, p.Hash())
		}
	}
	folders, err := fs.Glob(pages.Files, "*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if lang, _, _ := strings.Cut(f, "/"); !slices.Contains(say.Languages(), lang) || lang == say.English {
			t.Errorf("%s: there is no catalog of this language", f)
		}
	}
}

// What a translation must not lose: names with an underscore, paths, and numbers, however a language writes them.
var (
	names     = regexp.MustCompile(`[A-Za-z0-9*-]*_[A-Za-z0-9_*]*|/[a-z][A-Za-z0-9_/*-]+`)
	numbers   = regexp.MustCompile(`\d+`)
	separates = regexp.MustCompile(`(\d)[.,\x{a0}\x{202f}](\d)`)
)

// kept are the names and numbers of a text, sorted.
func kept(text string) []string {
	for range 2 { // separators on both sides of one digit
		text = separates.ReplaceAllString(text, "$1$2")
	}
	return slices.Sorted(slices.Values(append(names.FindAllString(text, -1), numbers.FindAllString(text, -1)...)))
}

// TestTranslationsKeepNamesAndNumbers compares each paragraph with the English one.
func TestTranslationsKeepNamesAndNumbers(t *testing.T) {
	for _, c := range catalogs(t) {
		for _, p := range advice.All() {
			in := p.In(c)
			if len(in.Text) != len(p.Text) {
				t.Errorf("%s/%s: %d paragraphs, the English page has %d", c.Lang, p.ID, len(in.Text), len(p.Text))
				continue
			}
			all := append([]string{in.Title, in.Read, in.Since, in.Until, in.Verify}, in.Text...)
			for i, english := range append([]string{p.Title, p.Read, p.Since, p.Until, p.Verify}, p.Text...) {
				have := kept(all[i])
				for _, want := range kept(english) {
					if !slices.Contains(have, want) {
						t.Errorf("%s/%s: %s is lost in %q", c.Lang, p.ID, want, all[i])
					}
				}
			}
			if strings.HasSuffix(in.Title, ".") || strings.HasSuffix(in.Read, ".") {
				t.Errorf("%s/%s: title and claim are clauses, without a full stop", c.Lang, p.ID)
			}
		}
	}
}

// TestTranslationsKeepLinesToCopy verifies that what is to be copied is the same in every language.
func TestTranslationsKeepLinesToCopy(t *testing.T) {
	for _, c := range catalogs(t) {
		for _, p := range advice.All() {
			in := p.In(c)
			for i, english := range p.Text {
				if i < len(in.Text) && (advice.Lines(english) != nil || advice.Lines(in.Text[i]) != nil) {
					if diff := cmp.Diff(english, in.Text[i]); diff != "" {
						t.Errorf("%s/%s:\n%s", c.Lang, p.ID, diff)
					}
				}
			}
		}
	}
}

// TestAPageOfAnotherEnglishIsShownInEnglish verifies that a page is in the language of the catalog, and in English if
// its text is not the one that was translated.
func TestAPageOfAnotherEnglishIsShownInEnglish(t *testing.T) {
	french, err := say.Open("fr")
	if err != nil {
		t.Fatal(err)
	}
	p := advice.ByName("pg-xlog")[0]
	in := p.In(french)
	if in.Title == p.Title || in.Text[0] == p.Text[0] || in.Read == p.Read {
		t.Errorf("not in French: %q", in)
	}
	if in.ID != p.ID || in.Kind != p.Kind || in.Until != p.Until || !slices.Equal(in.Names, p.Names) ||
		!slices.Equal(in.See, p.See) || !slices.Equal(in.Sources, p.Sources) {
		t.Errorf("what needs no translation changed: %q", in)
	}
	if got := in.Verdict().In(french); !strings.Contains(got, in.Read) || strings.Contains(got, "Claim") {
		t.Errorf("%q", got)
	}
	if diff := cmp.Diff(p, p.In(nil)); diff != "" {
		t.Error(diff)
	}
	for _, edited := range []func(*advice.Page){
		func(p *advice.Page) { p.Title += "x" }, func(p *advice.Page) { p.Read += "x" },
		func(p *advice.Page) { p.Verify += "x" }, func(p *advice.Page) { p.Until += "x" },
		func(p *advice.Page) { p.Since += "x" }, func(p *advice.Page) { p.Text = append(slices.Clone(p.Text), "x") },
	} {
		q := p
		edited(&q)
		if diff := cmp.Diff(q, q.In(french)); diff != "" {
			t.Errorf("an edited page is not in English:\n%s", diff)
		}
	}
}

func TestTranslationsOf(t *testing.T) {
	page := func(id string) advice.Page { return advice.Page{ID: id, Title: id, Text: []string{"text"}} }
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	folder := fstest.MapFS{
		"fr/done.md":  file("---\nof: " + page("done").Hash() + "\ntitle: fini\n---\ntexte\n"),
		"fr/stale.md": file("---\nof: 00000000\ntitle: vieux\n---\ntexte\n"),
		"fr/empty.md": file("---\nof: 00000000\ntitle: vide\n---\n"),
		"fr/names.md": file("---\nof: 00000000\ntitle: noms\nnames: [a]\n---\ntexte\n"),
		"fr/none.md":  file("---\nof: 00000000\ntitle: orphelin\n---\ntexte\n"),
		"ru/other.md": file("---\nof: 00000000\ntitle: другое\n---\nтекст\n"),
	}
	got := advice.TranslationsOf(folder, "fr", []advice.Page{page("done"), page("empty"), page("missing"),
		page("names"), page("stale")})
	if diff := cmp.Diff([]string{"missing"}, ids(got.Missing)); diff != "" || got.Done != 1 {
		t.Errorf("done: %d; missing: %s", got.Done, diff)
	}
	if diff := cmp.Diff([]string{"stale"}, ids(got.Stale)); diff != "" {
		t.Errorf("stale: %s", diff)
	}
	var wrong []string
	for _, err := range got.Wrong {
		wrong = append(wrong, err.Error())
	}
	if diff := cmp.Diff([]string{"fr/empty.md:1: a translation has of, a title, and a text",
		"fr/names.md:4: there is no field \"names\"", "fr/none.md: there is no page of this name"}, wrong); diff != "" {
		t.Errorf("wrong: %s", diff)
	}
}
