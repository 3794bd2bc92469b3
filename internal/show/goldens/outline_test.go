package goldens

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	nethtml "golang.org/x/net/html"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/pgfettle/pgfettle/test/hosts"
	"github.com/pgfettle/pgfettle/test/journals"
)

// documentGolden holds one document in Markdown and in HTML to their goldens, to the rules of Markdown, and to
// saying the same words in both.
func documentGolden(t *testing.T, name string, o outline.Outline) {
	t.Helper()
	var b bytes.Buffer
	if err := markdown.Write(&b, o); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range gfmWrong(b.String()) {
		t.Errorf("%s: %s", name, wrong)
	}
	formGolden(t, filepath.Join("testdata", "markdown", name+".md"), b.String())
	page, err := html.Writer{}.Write(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range unsaidOn(t, string(page), o) {
		t.Errorf("%s: %q is in the outline and not in its HTML", name, w)
	}
	formGolden(t, filepath.Join("testdata", "html", name+".html"), string(page))
}

// formGolden holds a form of a document to its golden.
func formGolden(t *testing.T, file, got string) {
	t.Helper()
	if golden.Updating() {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// unsaidOn are the words of an outline that its HTML does not have. The title is the page's; the contents are in the
// headings of the findings.
func unsaidOn(t *testing.T, page string, o outline.Outline) (missing []string) {
	t.Helper()
	tree, err := nethtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for n := range tree.Descendants() {
		if n.Type == nethtml.TextNode {
			for _, w := range wordsOf(n.Data) {
				said[w] = true
			}
		}
	}
	var look func(list []outline.Block)
	prose := func(p outline.Prose) {
		for _, piece := range p {
			for _, w := range wordsOf(piece.Text) {
				w = strings.ReplaceAll(w, `\x00`, "\ufffd") // which HTML cannot have
				if piece.As != outline.AsSign && !said[w] {
					missing = append(missing, w)
				}
			}
		}
	}
	look = func(list []outline.Block) {
		for _, block := range outline.Plain(list) {
			switch v := block.(type) {
			case outline.Heading:
				prose(v.Text)
			case outline.Para:
				prose(v.Text)
			case outline.List:
				for _, it := range v.Items {
					prose(it.Text)
					look(it.More)
				}
			case outline.Table:
				prose(outline.Join(v.Caption))
				for _, cells := range v.Rows {
					for _, c := range cells {
						prose(c)
					}
				}
			case outline.Listing:
				for _, l := range v.Lines {
					prose(outline.Join(l))
				}
			}
		}
	}
	for _, block := range o {
		h, head := block.(outline.Heading)
		if _, contents := block.(outline.Contents); !contents && !(head && h.Level == 1) {
			look([]outline.Block{block})
		}
	}
	return missing
}

// wordsOf are the words of a text as they are shown, without the marks around them and their case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(typeset.Clean(typeset.Flat(text))), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",:;()", r)
	})
}

// given reads a file of a case.
func given(t *testing.T, path, name string) []byte {
	t.Helper()
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		if f.Name == name {
			return f.Data
		}
	}
	t.Fatalf("%s has no %s", path, name)
	return nil
}

// TestFormsOfDocuments holds the Markdown and the HTML of the cases that the text forms have.
func TestFormsOfDocuments(t *testing.T) {
	each := func(dir string, of func(t *testing.T, path, name string)) {
		paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
		if err != nil || len(paths) < 3 {
			t.Fatalf("%d cases in %s, %v", len(paths), dir, err)
		}
		for _, path := range paths {
			name := dir + "/" + strings.TrimSuffix(filepath.Base(path), ".txtar")
			t.Run(name, func(t *testing.T) { of(t, path, name) })
		}
	}
	each("check", func(t *testing.T, path, name string) {
		var d document.Check
		decode(t, given(t, path, "given.json"), &d)
		d.All = true
		documentGolden(t, name, outline.Check(d, nil))
	})
	each("plan", func(t *testing.T, path, name string) {
		var d document.Plan
		decode(t, given(t, path, "given.json"), &d)
		documentGolden(t, name, outline.Plan(d, nil))
	})
	each("journal", func(t *testing.T, path, name string) {
		j, _, err := journal.Parse(journals.Chained(string(given(t, path, "given.json"))))
		if err != nil {
			t.Fatal(err)
		}
		documentGolden(t, name, outline.Journal(j, nil))
		documentGolden(t, name+"_list", outline.Journals([]*journal.Journal{j}, nil))
	})
	each("log", func(t *testing.T, path, name string) {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		documentGolden(t, name, reports.Log(logReport(t, ar, false), nil))
	})
	t.Run("journal/none", func(t *testing.T) {
		documentGolden(t, "journal/none", outline.Journals(nil, nil))
	})
}

// TestFormsOfDiagnoses holds the Markdown and the HTML of post-mortems, of real reports and
// plans.
func TestFormsOfDiagnoses(t *testing.T) {
	crowds, err := hosts.Crowds()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range crowds {
		documentGolden(t, "memory/"+c.Name, reports.Memory(memory.Diagnose(c.Snapshot, hosts.Buffers(c.Snapshot)), nil))
	}
	for name, files := range map[string][]string{
		"k618_memcg_v1_backend": {"k618_memcg_v1_backend.log", "pg15_log_backend_sigkill.log"},
		"k601_global_numa2_journal": {"k601_global_numa2_journal.log", "systemd_unit_journal.json",
			"pg15_log_oom_then_systemd_stop.log"},
		"server_alone": {"pg15_log_overcommit2_oom.log", "pg17_log.csv", "pg17_log.json"},
		"nothing":      {},
	} {
		r := oom.NewReader()
		for _, f := range files {
			b, err := os.ReadFile(oomLog(f))
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Add(bytes.NewReader(b)); err != nil {
				t.Fatal(err)
			}
		}
		documentGolden(t, "oom/"+name, reports.OOM(oom.Diagnose(r.Log(), oom.Facts{}), nil))
	}
	for _, name := range []string{"slow_other_plan", "slow_slow_disk", "slow_equal"} {
		path := filepath.Join("..", "..", "judge", "diagnose", "slow", "testdata",
			strings.TrimPrefix(name, "slow_")+".txtar")
		var plans []*queryplan.Plan
		for _, which := range []string{"slow", "fast"} {
			list, err := queryplan.Parse(given(t, path, which))
			if err != nil {
				t.Fatal(err)
			}
			plans = append(plans, list[0])
		}
		documentGolden(t, "slow/"+name, reports.Slow(slow.Compare("slow.txt", plans[0], "fast.txt", plans[1]), nil))
	}
	documentGolden(t, "slow/sample", reports.Sample(sampled.Judge("/srv/pg/17", jam()), nil))
}

// TestFormsOfExperiments holds the Markdown and the HTML of every verdict, and that one that
// is not at its end shows no figure.
func TestFormsOfExperiments(t *testing.T) {
	for name, r := range proveCases() {
		r.Judge()
		documentGolden(t, "prove/"+name, experiments.Result(r, nil, false))
	}
	r := proveCases()["interrupted"]
	r.Judge()
	var b bytes.Buffer
	if err := markdown.Write(&b, experiments.Result(r, nil, false)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"4.4 %", "+3.1", "4,176", "4,000", "●"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q is shown before the end", bad)
		}
	}
}

// TestFormsOfAFile holds the Markdown and the HTML of a configuration file.
func TestFormsOfAFile(t *testing.T) {
	d := checkedFile()
	last := len(d.Findings) - 1
	d.Accepted = []conffile.Accepted{{Finding: d.Findings[last], Reason: "a test | of *bars*", Expires: "2027-01-31"}}
	d.Findings, d.All, d.Policy = d.Findings[:last], true, "site.toml"
	documentGolden(t, "file", outline.File(d, nil))
}

// TestMarkdownSpeaks verifies that the words of a check, a plan and a journal follow the catalog, and that the
// structure does not.
func TestMarkdownSpeaks(t *testing.T) {
	shape := func(s string) string {
		var out strings.Builder
		for l := range strings.Lines(s) {
			out.WriteString(regexp.MustCompile(`^ *(#+|-|\||)`).FindString(l) + "\n")
		}
		return out.String()
	}
	path := filepath.Join("testdata", "plan", "server.txtar")
	var d document.Plan
	decode(t, given(t, path, "given.json"), &d)
	var english bytes.Buffer
	if err := markdown.Write(&english, outline.Plan(d, nil)); err != nil {
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
		var b bytes.Buffer
		if err := markdown.Write(&b, outline.Plan(d, c)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(shape(english.String()), shape(b.String())); diff != "" {
			t.Errorf("%s has another shape (-en +%s):\n%s", lang, lang, diff)
		}
		for _, word := range []string{"| risk |", "Before you act", "Memory budget"} {
			if !strings.Contains(english.String(), word) {
				t.Errorf("the plan does not say %q", word)
			}
			if strings.Contains(b.String(), word) {
				t.Errorf("%s: %q is English", lang, word)
			}
		}
	}
}

// TestMarkdownIsNotMarkup verifies that texts of others make no markup: each comes back as it was, from every place of
// a document.
func TestMarkdownIsNotMarkup(t *testing.T) {
	for _, s := range []string{
		"plain text", "a_b_c shared_buffers _x_", "*bold* **strong** ~~struck~~", "`code` ``two`` ` one",
		"<script>alert(1)</script>", "<!-- hidden -->", "[link](http://evil.example)",
		"![picture](x.png)", "see https://evil.example/x, www.evil.example.", "mail me@evil.example", "@everyone look",
		"fixes #12 and GH-3 and !7", "a | b || c", `a \| b \\| c \`, "&amp; &#x41; & b",
		"# heading", "- list", "+ list", "1. one", "2) two", "> quote", "===", "---", "***", "| a | b |", "|---|---|",
		"    indented", "\ttab", "```", "~~~sh", "$x$ and $$y$$", "[ ] task", "[x]: http://e.example",
		"first\nsecond\n\nthird", "\x1b[31mred\x07", "right\u202eleft", "zero\u200bwidth", "`|`", "a`|", "``|\\|``",
		" spaces  inside ", "<b", "b>", ":smile:", "\\", "\\`x\\`", "\xff\xfe", "\xbf\xdd",
	} {
		holdMarkdown(t, s)
	}
}

// FuzzMarkdown is the same for any text.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"a|b", "`", "\\|", "@x `\\|` <y>", "1. *", "www.x `|`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { holdMarkdown(t, s) })
}

func holdMarkdown(t *testing.T, s string) {
	t.Helper()
	o := outline.Outline{
		outline.Heading{Level: 1, Text: outline.Join(s)}, outline.Heading{Level: 2,
			Text: outline.Join("x: ", outline.Code(s), " y")}, outline.Para{Text: outline.Join(s)},
		outline.Para{Text: outline.Join(outline.Bold(s), " and ", s)},
		outline.List{Items: []outline.Item{{Text: outline.Join(s)},
			{Text: outline.Join("a ", outline.Code(s), s),
				More: []outline.Block{outline.List{Items: []outline.Item{{Text: outline.Join(s)}}},
					outline.Para{Text: outline.Join(s)}, outline.Listing{Lines: []string{s, "end"}}}}}},
		outline.Table{Caption: s, Head: []string{s, "b", s},
			Rows: [][]outline.Prose{{outline.Join(s), outline.Join(outline.Code(s)), outline.Join(outline.Bold(s), s)},
				{outline.Join(outline.Code(s), outline.Code(s)), outline.Join("a"), nil}}, Numbers: 1},
		outline.Listing{Lines: []string{"begin", s}},
	}
	var b bytes.Buffer
	if err := markdown.Write(&b, o); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, wrong := range gfmWrong(text) {
		t.Errorf("%q: %s\n%s", s, wrong, text)
	}
	// What is read back, except for spaces, which readers drop at their will.
	bare := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	want := bare(typeset.Line(s))
	got := gfmRead(text)
	line := bare(typeset.Clean(s))
	expect := []string{want, "x:" + want + "y", want, want + "and" + want, want, "a" + want + want, want,
		want, line, "end",
		want, "b", want, want, want, want + want, want + want, "a", "", "begin", line}
	var have []string
	for _, g := range got {
		have = append(have, bare(g))
	}
	if diff := cmp.Diff(notEmpty(expect), notEmpty(have)); diff != "" {
		t.Errorf("%q does not come back (-want +got):\n%s\n%s", s, diff, text)
	}
}

func notEmpty(list []string) []string {
	out := []string{}
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// TestMarkdownRulesCatch verifies that the rules find what they are for.
func TestMarkdownRulesCatch(t *testing.T) {
	for text, want := range map[string]string{
		"| a | b |\n| --- | --- |\n| x |\n":    "cells",
		"| a | b |\n| --- |\n":                 "cells",
		"a <b>\n":                              "outside of code",
		"see [x](y)\n":                         "outside of code",
		"by @me\n":                             "outside of code",
		"at https://x.example\n":               "outside of code",
		"```\nnever closed\n":                  "never closed",
		"a `b\n":                               "never closed",
		"**a\n":                                "strong",
		"a\x1bb\n":                             "hidden",
		"#no space\n":                          "heading",
		"closes #7\n":                          "outside of code",
		"a\n\n\n\nb\n":                         "empty lines",
		"trailing \n":                          "space at the end",
		"| `a|b` | c |\n| --- | --- |\n":       "cells",
		"| a | b |\n| --- | --- |\n| `x\\|` |": "cells",
	} {
		found := strings.Join(gfmWrong(text), "; ")
		if !strings.Contains(found, want) {
			t.Errorf("%q: want %q, found %q", text, want, found)
		}
	}
	if found := gfmWrong(
		"# a\n\n- `x|y` \\<b\\> **c**\n  - d\n\n| a | b |\n| --- | ---: |\n| `x\\|y` | c \\| d |\n\n```sh\n<b> " +
			"@x\n```\n"); len(found) > 0 {
		t.Errorf("found in what is right: %v", found)
	}
}
