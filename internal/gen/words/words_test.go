package words

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

var update = flag.Bool("update", false, "sort the catalogs, and drop what the program no longer says")

const root = "../../.."

// TestCatalogs verifies that every text can be translated, that each catalog has only what the program says, with the
// same placeholders and in order, and that a language that is offered is complete.
func TestCatalogs(t *testing.T) {
	texts, loose, err := All(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range loose {
		t.Errorf("%s: a template that is not a constant cannot be translated: see docs/languages.md", at)
	}
	all := Pages()
	byEnglish := map[string]Text{}
	for _, text := range texts {
		if other, ok := byEnglish[text.English]; ok {
			t.Errorf("%q is said with and without plural, or with two plurals: %v, %v", text.English, other.In, text.In)
		}
		byEnglish[text.English] = text
	}
	for _, lang := range say.Languages() {
		if lang == say.English {
			continue
		}
		c, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		r := Compare(c, texts)
		for _, e := range r.Wrong {
			t.Errorf("%s.po:%d: other placeholders than %q", lang, e.Line, e.English)
		}
		lacks := all[say.English] - all[lang]
		if say.Complete(lang) && len(r.Missing)+lacks > 0 {
			t.Errorf("%s is called complete, and lacks %d texts and %d pages", lang, len(r.Missing), lacks)
			for _, m := range r.Missing {
				t.Logf("%s: %q", lang, m.English)
			}
		}
		path := filepath.Join(root, "internal/base/say/catalogue", lang+".po")
		want := say.WritePO(lang, sorted(c, texts))
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for _, e := range r.Unknown {
			t.Errorf("%s.po:%d: the program does not say %q", lang, e.Line, e.English)
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(have) != want {
			t.Errorf("%s.po is not in order: run go test ./internal/gen/words -update", lang)
		}
	}
}

// sorted returns the entries of a catalog in the order of the texts, each with the packages
// that say it.
func sorted(c *say.Catalogue, texts []Text) (out []say.Entry) {
	of := map[[2]string]say.Entry{}
	for _, e := range c.Entries {
		of[[2]string{e.English, e.Many}] = e
	}
	for _, t := range texts {
		if e, ok := of[[2]string{t.English, t.Many}]; ok {
			e.In = t.In
			out = append(out, e)
		}
	}
	return out
}

// TestTemplatesAreFound reads a package with every shape that a template has in the source.
func TestTemplatesAreFound(t *testing.T) {
	all, loose, err := templates(".", "./testdata/shapes")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, text := range all.sorted() {
		got = append(got, strings.TrimSuffix(text.English+" | "+text.Many, " | "))
	}
	want := []string{"a constant {n}", "a part of a list", "a typed constant and more", "an argument", "an element",
		"another way", "nested {x}", "one way", "{n} field", "{n} thing | {n} things"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if want := []string{"shapes.go:27", "shapes.go:28"}; !slices.Equal(bases(loose), want) {
		t.Errorf("not constant: %v, want %v", loose, want)
	}
}

func bases(list []string) (out []string) {
	for _, s := range list {
		out = append(out, filepath.Base(s))
	}
	return out
}

func TestCompare(t *testing.T) {
	in := []string{"judge/checks/wal"}
	texts := []Text{{"{n} left", "", in}, {"none left", "", in}, {"{n} thing", "{n} things", []string{"show/cli"}}}
	c := &say.Catalogue{Lang: "fr", Entries: []say.Entry{
		{English: "{n} left", Forms: []string{"il reste {m}"}},
		{English: "nothing left", Forms: []string{"rien"}},
		{English: "{n} thing", Many: "{n} things", Forms: []string{"{n} chose", "des choses"}},
	}}
	r := Compare(c, texts)
	english := func(list []say.Entry) (out []string) {
		for _, e := range list {
			out = append(out, e.English)
		}
		return out
	}
	if d := cmp.Diff([]string{"{n} left", "{n} thing"}, english(r.Wrong)); d != "" {
		t.Errorf("wrong: %s", d)
	}
	if d := cmp.Diff([]string{"nothing left"}, english(r.Unknown)); d != "" {
		t.Errorf("unknown: %s", d)
	}
	if d := cmp.Diff([]Text{texts[1]}, r.Missing); d != "" {
		t.Errorf("missing: %s", d)
	}
	if page := Page(texts, []*say.Catalogue{c}, map[string]int{"en": 7, "fr": 5}); !strings.Contains(page,
		"| judge/checks | 2 | 1 |\n| show/cli | 1 | 1 |\n| docs/pages | 7 | 5 |\n| all | 10 | 7 |\n") {
		t.Errorf("the page counts otherwise:\n%s", page)
	}
}
