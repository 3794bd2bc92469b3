package words

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

var update = flag.Bool("update", false, "sort the catalogues")

const root = "../../.."

// TestCatalogues holds that each catalogue has only ids that the program says,
// the same placeholders as the English, and its entries in order.
func TestCatalogues(t *testing.T) {
	texts, _, err := All(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
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
		for _, e := range r.Unknown {
			t.Errorf("%s.po:%d: no text has the id %s", lang, e.Line, e.ID)
		}
		for _, e := range r.Wrong {
			t.Errorf("%s.po:%d: %s: other placeholders than %q", lang, e.Line, e.ID, e.English)
		}
		for _, e := range r.Stale {
			t.Logf("%s.po:%d: %s: the English was edited since: %q", lang, e.Line, e.ID, e.English)
		}
		sort.SliceStable(c.Entries, func(i, j int) bool {
			a, b := c.Entries[i], c.Entries[j]
			return sortsBefore(Text{ID: a.ID, English: a.English}, Text{ID: b.ID, English: b.English})
		})
		path := filepath.Join(root, "internal/base/say/catalogue", lang+".po")
		want := say.WritePO(lang, c.Entries)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(have) != want {
			t.Errorf("%s.po is not sorted by id and English: run go test ./internal/gen/words -update", lang)
		}
	}
}

// checkout is a small one, with every shape that templates have.
var checkout = fstest.MapFS{
	"internal/judge/check/a.go": {Data: []byte(`package check
var A = Check{ID: "a", Judge: func(c *Case) {
	sev, what := Warning, "it runs on"
	if x { what = "it will fail" }
	seen := "{n} of them"
	if y { seen += "; {what}" }
	seen = seen + "."
	c.FoundAs(sev, seen, "n", 1, "what", what, "word", "on")
	c.FoundDo(sev, "Do " + "this.", "seen with " + rest + ".", "n", note())
	c.Found(told(c))
}}
const rest = "a rest"
func note() string { if z { return "one way" }; return "the other way" }
func told(c *Case) string { return strings.Join(c.list, ", ") }
func shared(c *Case) { c.Found("said for all who call") }
var B = Check{ID: "b", Judge: func(c *Case) { shared(c) }}
`)},
	"internal/judge/check/a_test.go": {Data: []byte("package check\nfunc f() { c.Found(\"of a test\") }\n")},
	"internal/judge/rule/r.go": {Data: []byte(
		"package rule\nvar r = Rule{Address: knob.Sysctl(\"vm.x\"), Decide: func(c *Case) { c.Set(1, \"because " +
			"{n}\", \"n\", 1); c.Warn(\"mind it\") }}\n")},
	"internal/judge/conffile/c.go": {Data: []byte(
		"package conffile\nvar K = check.Check{ID: \"conf_k\"}\nfunc f() { k := &K; j.found(k, at, \"a line\"); " +
			"j.found(&K, at, \"another line\") }\n")},
	"internal/show/outline/page.go": {Data: []byte(
		"package outline\nfunc f() { p.say(\"show/a\", \"A {x}\", \"x\", y); p.many(\"show/n\", n, \"{n} thing\", " +
			"\"{n} things\"); p.say(variable, \"not fixed\") }\n")},
	"internal/show/cli/ask.go":           {Data: []byte("package cli\nvar yes = say.M(\"show/yes\", \"yes\")\n")},
	"internal/show/outline/page_test.go": {Data: []byte("package outline\nthis is not Go")},
}

func TestTemplatesAreFound(t *testing.T) {
	var got []string
	var unread []string
	for _, dir := range folders {
		found, not, err := inFolder(checkout, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			line := f.ID + ": " + f.English
			if f.Many != "" {
				line += " | " + f.Many
			}
			got = append(got, line)
		}
		unread = append(unread, not...)
	}
	sort.Strings(got)
	want := []string{
		"check/a/do: Do this.",
		"check/a/seen: seen with a rest.",
		"check/a/seen: {n} of them.",
		"check/a/seen: {n} of them; {what}.",
		"check/a/{n}: one way",
		"check/a/{n}: the other way",
		"check/a/{what}: it runs on",
		"check/a/{what}: it will fail",
		"check/b/seen: said for all who call",
		"check/conf_k/seen: a line",
		"check/conf_k/seen: another line",
		"rule/sysctl:vm.x/reason: because {n}",
		"rule/sysctl:vm.x/warning: mind it",
		"show/a: A {x}",
		"show/n: {n} thing | {n} things",
		"show/yes: yes",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if want := []string{"internal/judge/check/a.go:10"}; !slices.Equal(unread, want) {
		t.Errorf("not to be read: %v, want %v", unread, want)
	}
}

func TestCompare(t *testing.T) {
	texts := []Text{{"check/a/seen", "{n} left", ""}, {"check/a/seen", "none left", ""},
		{"show/n", "{n} thing", "{n} things"}}
	c := &say.Catalogue{Lang: "fr", Entries: []say.Entry{
		{ID: "check/a/seen", English: "{n} left", Forms: []string{"il reste {m}"}},
		{ID: "check/a/seen", English: "nothing left", Forms: []string{"rien"}},
		{ID: "check/gone/seen", English: "x", Forms: []string{"y"}},
		{ID: "show/n", English: "{n} thing", Many: "{n} things", Forms: []string{"{n} chose", "des choses"}},
	}}
	r := Compare(c, texts)
	ids := func(list []say.Entry) (out []string) {
		for _, e := range list {
			out = append(out, e.ID+" "+e.English)
		}
		return out
	}
	if d := cmp.Diff([]string{"check/a/seen {n} left", "show/n {n} thing"}, ids(r.Wrong)); d != "" {
		t.Errorf("wrong: %s", d)
	}
	if d := cmp.Diff([]string{"check/a/seen nothing left"}, ids(r.Stale)); d != "" {
		t.Errorf("stale: %s", d)
	}
	if d := cmp.Diff([]string{"check/gone/seen x"}, ids(r.Unknown)); d != "" {
		t.Errorf("unknown: %s", d)
	}
	if d := cmp.Diff([]Text{texts[1]}, r.Missing); d != "" {
		t.Errorf("missing: %s", d)
	}
	if page := Page(texts, []string{"x.go:1"}, []*say.Catalogue{c}); !strings.Contains(page,
		"| check/seen | 2 | 1 |\n| show | 1 | 1 |\n| all | 3 | 2 |\n") ||
		!strings.Contains(page, "## To look at again: fr") {
		t.Errorf("the page counts otherwise:\n%s", page)
	}
}
