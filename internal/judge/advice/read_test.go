package advice_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/docs/pages"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
)

// markup is a line that Markdown takes for something else than the words of a paragraph.
var markup = regexp.MustCompile(`(?m)^\s*([-*+>#|]|#+|[0-9]+[.)]|===*|---*)(\s|$)`)

// TestEmbeddedPages verifies that each page of the program can be read, says where its facts were seen, and is read as
// Markdown by others as it is here: paragraphs and lines to copy.
func TestEmbeddedPages(t *testing.T) {
	list, err := advice.Read(pages.Files)
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(pages.Files, "*.md")
	if err != nil || len(files) != len(list) || len(list) != len(advice.All()) || len(list) < 100 {
		t.Errorf("%d files, %d pages, %d of All: %v", len(files), len(list), len(advice.All()), err)
	}
	for _, p := range list {
		b, err := fs.ReadFile(pages.Files, p.ID+".md")
		if err != nil {
			t.Fatal(err)
		}
		head, text, _ := strings.Cut(strings.TrimPrefix(string(b), "---\n"), "\n---\n")
		if !strings.HasPrefix(head, "# ") || strings.HasPrefix(head, "# …") {
			t.Errorf("%s does not begin with a comment that says where its facts were seen", p.ID)
		}
		if m := markup.FindString(text); m != "" {
			t.Errorf("%s: a line begins with %q, which Markdown does not take for words", p.ID, m)
		}
	}
}

// TestAllIsTheCallers verifies that changing a returned list does not affect other callers.
func TestAllIsTheCallers(t *testing.T) {
	advice.All()[0] = advice.Page{}
	if advice.All()[0].ID == "" {
		t.Error("All gives its own list away")
	}
}

func TestRead(t *testing.T) {
	got, err := advice.Read(fstest.MapFS{
		"b-2.md": {
			Data: []byte(
				"---\n# seen\n# twice\nid: b-2\nkind: not so\ntitle: \"a: \\\"b\\\" \\\\d\"\nnames: [x, \"9.3\", " +
					"\"a, b\" , y z]\n\n" +
					"read: it's so, [so]#1\nsince: PostgreSQL 15\nuntil: \nverify: grep -E 'a|b:c' x\nsources: " +
					"[]\nsee: " +
					"[pg:work_mem]\n---\n\none\ntwo\n \n\nthree: - [x]\n---\n\n" +
					"    ls -l \\\n      /  \n    cd\n\nnot\n    lines\n")},
		"b.md":     {Data: []byte("---\nid: b\n---\n")},
		"pages.go": {Data: []byte("package pages")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]advice.Page{{ID: "b"}, {
		ID: "b-2", Kind: advice.NotSo, Title: `a: "b" \d`, Names: []string{"x", "9.3", "a, b", "y z"},
		Read: "it's so, [so]#1", Since: "PostgreSQL 15",
		Verify: "grep -E 'a|b:c' x", See: []string{"pg:work_mem"}, Text: []string{"one two", "three: - [x] ---",
			"  ls -l \\\n    /\n  cd", "not lines"},
	}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "a.md:1: a page begins with",
		"id: a\n---\n":                   "a.md:1: a page begins with",
		"---\nid: a\ntext\n":             "a.md:3: \"text\" is no field",
		"---\nid: a\n":                   "a.md:3: no line --- ends",
		"---\nid: b\n---\n":              "a.md:1: the id of this page is \"b\"",
		"---\nid: a\nid: a\n---\n":       "a.md:3: id appears twice",
		"---\nid: a\nTitle: x\n---\n":    "a.md:3: there is no field \"Title\"",
		"---\ntitle: a: b\n---\n":        "a.md:2: a: b: YAML wants",
		"---\ntitle: a #b\n---\n":        "YAML wants",
		"---\ntitle: 'a'\n---\n":         "YAML wants",
		"---\ntitle: \"a\n---\n":         "quotes that do not end",
		"---\ntitle: \"a\" b\n---\n":     "\"b\" stands after the quotes",
		"---\nnames: a, b\n---\n":        "\"a, b\" is no list",
		"---\nnames: [a, , b]\n---\n":    "an item without words",
		"---\nnames: [a,]\n---\n":        "an item without words",
		"---\nnames: [\"a\" b]\n---\n":   "no comma after one",
		"---\nnames: [\"a, b]\n---\n":    "quotes that do not end",
		"---\nnames: [a, [b], c]\n---\n": "YAML wants",
	} {
		got, err := advice.Read(fstest.MapFS{"a.md": {Data: []byte(text)},
			"ok.md": {Data: []byte("---\nid: ok\n---\n")}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
		if len(got) != 1 || got[0].ID != "ok" {
			t.Errorf("%q: the other page is not read: %v", text, got)
		}
	}
}
