// Package docs holds the tests that keep the documents true: pages made from
// the program's own words are current, and every command line shown in a
// document runs and prints what the document says.
package docs

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/gen/plans"
	"github.com/pgfettle/pgfettle/internal/gen/words"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/cli"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/metrics"
	"github.com/pgfettle/pgfettle/test/coverage"
)

var update = flag.Bool("update", false, "rewrite the generated pages and the sessions in the documents")

const root = "../.."

// TestPagesAreCurrent holds that the generated documents say what the checks,
// rules, pages, commands and the list of statements say.
func TestPagesAreCurrent(t *testing.T) {
	rows, err := coverage.Rows()
	if err != nil {
		t.Fatal(err)
	}
	besides, err := plans.Page()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"docs/checks.md":    markdown.CheckPages(checks.All()),
		"docs/knobs.md":     markdown.KnobPages(rules.All()),
		"docs/pages.md":     markdown.AdvicePages(advice.All()),
		"docs/coverage.md":  coverage.Markdown(rows),
		"docs/commands.md":  commandPages(t),
		"docs/languages.md": languagePage(t),
		"docs/metrics.md":   metrics.Page(),
		"docs/plans.md":     besides,
	} {
		path := filepath.Join(root, name)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(have), text); diff != "" {
			t.Errorf("%s is not current; run make generate (-file +words):\n%s", name, diff)
		}
	}
}

// languagePage returns docs/languages.md: how far each catalogue is.
func languagePage(t *testing.T) string {
	t.Helper()
	texts, unread, err := words.All(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	var list []*say.Catalogue
	for _, lang := range say.Languages() {
		c, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		if c != nil {
			list = append(list, c)
		}
	}
	return words.Page(texts, unread, list)
}

// commandPages returns docs/commands.md: the help of every command as the
// program prints it, so that every flag and exit code is documented.
func commandPages(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Commands\n\nWhat each command prints with `--help` (`make generate`); do not edit.\n")
	help := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := cli.Main(context.Background(), append(args, "--help"), strings.NewReader(""), &out, &errs, nil); code != 0 {
			t.Fatalf("%v --help: exit code %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	top := help()
	b.WriteString("\n```text\n" + top + "```\n")
	var below func(text, level string, above ...string)
	below = func(text, level string, above ...string) {
		_, list, _ := strings.Cut(text, "\nCommands:\n")
		list, _, _ = strings.Cut(list, "\n\n")
		for line := range strings.Lines(list) {
			f := strings.Fields(line)
			if len(f) == 0 || f[0] == "help" {
				continue
			}
			name := append(slices.Clone(above), f[0])
			text := help(name...)
			b.WriteString("\n" + level + " pgfettle " + strings.Join(name, " ") + "\n\n```text\n" + text + "```\n")
			if f[0] != "completion" { // one page a shell, of the library's own words
				below(text, level+"#", name...)
			}
		}
	}
	below(top, "##")
	return b.String()
}

// session is a fenced block that begins with "$ pgfettle": a command and what it prints.
var session = regexp.MustCompile("(?s)```(?:text|console)\n(\\$ pgfettle .*?)```\n")

// documents are those whose sessions are run. A line that ends in "…" stands
// for any lines, so a document may show the part that matters.
var documents = []string{"README.md", "CONTRIBUTING.md", "docs/conf.md", "docs/policy.md"}

// TestSessionsRun runs every session of the documents and compares its output.
func TestSessionsRun(t *testing.T) {
	ran := 0
	texts := map[string][]byte{}
	for _, doc := range documents {
		b, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			t.Fatal(err)
		}
		texts[doc] = b
	}
	// The logs that they name: real ones.
	folder := t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "testdata"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{"kern.log": "internal/fact/kernlog/testdata/k618_memcg_v1_backend.log", "postgresql.log": "internal/judge/diagnose/oom/testdata/pg15_log_backend_sigkill.log"} {
		b, err := os.ReadFile(filepath.Join(root, from))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	for _, doc := range documents {
		b := texts[doc]
		for _, m := range session.FindAllSubmatch(b, -1) {
			ran++
			command, want, _ := strings.Cut(string(m[1]), "\n")
			var out, errs bytes.Buffer
			args := fields(strings.TrimPrefix(command, "$ pgfettle "))
			cli.Main(context.Background(), args, strings.NewReader(""), &out, &errs, nil)
			if !matches(strings.TrimRight(want, "\n"), strings.TrimRight(out.String()+errs.String(), "\n")) {
				t.Errorf("%s: %s\nthe document shows:\n%s\nthe program prints:\n%s%s", doc, command, want, out.String(), errs.String())
			}
		}
	}
	if ran < 2 {
		t.Errorf("only %d sessions were found in %v: the test looks in the wrong place", ran, documents)
	}
}

// fields splits a command line at spaces, keeping 'quoted words' whole.
func fields(s string) []string {
	var out []string
	var cur strings.Builder
	quoted, any := false, false
	for _, r := range s {
		switch {
		case r == '\'':
			quoted, any = !quoted, true
		case r == ' ' && !quoted:
			if any {
				out = append(out, cur.String())
				cur.Reset()
				any = false
			}
		default:
			cur.WriteRune(r)
			any = true
		}
	}
	if any {
		out = append(out, cur.String())
	}
	return out
}

// matches compares line by line; a line of only "…" in want stands for any
// number of lines.
func matches(want, have string) bool {
	w, h := strings.Split(want, "\n"), strings.Split(have, "\n")
	return matchLines(w, h)
}

func matchLines(w, h []string) bool {
	for len(w) > 0 {
		if strings.TrimSpace(w[0]) == "…" {
			for i := 0; i <= len(h); i++ {
				if matchLines(w[1:], h[i:]) {
					return true
				}
			}
			return false
		}
		if len(h) == 0 || strings.TrimRight(w[0], " ") != strings.TrimRight(h[0], " ") {
			return false
		}
		w, h = w[1:], h[1:]
	}
	return len(h) == 0
}
