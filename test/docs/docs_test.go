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

// TestPagesAreCurrent verifies that the generated documents say what the checks, rules, pages, commands and the list of
// statements say.
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

// languagePage returns docs/languages.md: how far each catalog is.
func languagePage(t *testing.T) string {
	t.Helper()
	texts, _, err := words.All(root)
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
	return words.Page(texts, list, words.Pages())
}

// commandPages returns docs/commands.md: the help of every command as the
// program prints it, so that every flag and exit code is documented.
func commandPages(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Commands\n\nWhat each command prints with `--help` (`make generate`); do not edit.\n")
	help := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := cli.Main(context.Background(), append(args, "--help"), strings.NewReader(""), &out, &errs,
			nil); code != 0 {
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
			if len(name) > 3 { // a line of the list that wraps names no command, and its help is that of the whole
				t.Fatalf("%q is taken for a command: shorten its line in the list", name)
			}
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
