package goldens

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/pgfettle/pgfettle/test/hosts"
	"github.com/pgfettle/pgfettle/test/journals"
	"github.com/rogpeppe/go-internal/txtar"
)

// markdownGolden holds one document to its golden and to the rules of Markdown.
func markdownGolden(t *testing.T, name string, write func(b *bytes.Buffer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range gfmWrong(b.String()) {
		t.Errorf("%s: %s", name, wrong)
	}
	file := filepath.Join("testdata", "markdown", name+".md")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
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

// TestMarkdownOfDocuments holds the Markdown of the cases that the text forms have.
func TestMarkdownOfDocuments(t *testing.T) {
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
		markdownGolden(t, name, func(b *bytes.Buffer) error { return markdown.Write(b, outline.Check(d, nil)) })
	})
	each("plan", func(t *testing.T, path, name string) {
		var d document.Plan
		decode(t, given(t, path, "given.json"), &d)
		markdownGolden(t, name, func(b *bytes.Buffer) error { return markdown.Write(b, outline.Plan(d, nil)) })
	})
	each("journal", func(t *testing.T, path, name string) {
		j, _, err := journal.Parse(journals.Chained(string(given(t, path, "given.json"))))
		if err != nil {
			t.Fatal(err)
		}
		markdownGolden(t, name, func(b *bytes.Buffer) error { return markdown.Write(b, outline.Journal(j, nil)) })
		markdownGolden(t, name+"_list", func(b *bytes.Buffer) error {
			return markdown.Write(b, outline.Journals([]*journal.Journal{j}, nil))
		})
	})
	each("log", func(t *testing.T, path, name string) {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		markdownGolden(t, name, func(b *bytes.Buffer) error {
			return markdown.Write(b, reports.Log(logReport(t, ar, false)))
		})
	})
	t.Run("journal/none", func(t *testing.T) {
		markdownGolden(t, "journal/none", func(b *bytes.Buffer) error {
			return markdown.Write(b, outline.Journals(nil, nil))
		})
	})
}

// TestMarkdownOfDiagnoses holds the Markdown of post-mortems, of real reports and
// plans.
func TestMarkdownOfDiagnoses(t *testing.T) {
	crowds, err := hosts.Crowds()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range crowds {
		markdownGolden(t, "memory/"+c.Name, func(b *bytes.Buffer) error {
			return markdown.Write(b, reports.Memory(memory.Diagnose(c.Snapshot, hosts.Buffers(c.Snapshot))))
		})
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
		markdownGolden(t, "oom/"+name, func(b *bytes.Buffer) error {
			return markdown.Write(b, reports.OOM(oom.Diagnose(r.Log(), oom.Facts{})))
		})
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
		markdownGolden(t, "slow/"+name, func(b *bytes.Buffer) error {
			return markdown.Write(b, reports.Slow(slow.Compare("slow.txt", plans[0], "fast.txt", plans[1])))
		})
	}
	markdownGolden(t, "slow/sample", func(b *bytes.Buffer) error {
		return markdown.Write(b, reports.Sample(slow.JudgeSample("/srv/pg/17", jam())))
	})
}

// TestMarkdownOfExperiments holds the Markdown of every verdict, and that one that
// is not at its end shows no figure.
func TestMarkdownOfExperiments(t *testing.T) {
	for name, r := range proveCases() {
		r.Judge()
		markdownGolden(t, "prove/"+name, func(b *bytes.Buffer) error {
			return markdown.Write(b, experiments.Result(r, nil, false))
		})
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

// TestMarkdownOfAFile holds the Markdown of a configuration file.
func TestMarkdownOfAFile(t *testing.T) {
	d := checkedFile()
	last := len(d.Findings) - 1
	d.Accepted = []conffile.Accepted{{Finding: d.Findings[last], Reason: "a test | of *bars*", Expires: "2027-01-31"}}
	d.Findings, d.All, d.Policy = d.Findings[:last], true, "site.toml"
	markdownGolden(t, "file", func(b *bytes.Buffer) error { return markdown.Write(b, outline.File(d, nil)) })
}

// TestMarkdownSpeaks holds that the words of a check, a plan and a journal follow
// the catalogue, and that the structure does not.
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

// TestMarkdownIsNotMarkup holds that texts of others make no markup: each comes
// back as it was, from every place of a document.
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
	// What is read back, but for spaces, which readers drop at their will.
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

// TestMarkdownRulesCatch holds that the rules find what they are for.
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
