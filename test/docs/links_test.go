package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// link is a link or a picture of a document: where it leads, and the heading there.
var link = regexp.MustCompile(`\]\(<?([^)#\s>]*)(?:#([^)\s>]*))?>?\)`)

// code is what is shown as it is written, in which no link is one.
var code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

// titled is a heading of a document.
var titled = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *#*$`)

// anchors are the names that GitHub gives to the headings of a document.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range titled.FindAllStringSubmatch(code.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, "```") {
			return ""
		}
		return strings.Trim(s, "`")
	}), -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		name := slug
		for n := 1; out[name]; n++ {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		out[name] = true
	}
	return out
}

// dead are the links of the documents of a tree that lead to no file of it, or to no heading of
// a document. What is on the web is not followed: make docs and make links do more.
func dead(tree fs.FS, documents []string) ([]string, error) {
	var out []string
	for _, name := range documents {
		b, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, err
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(b), ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			to := name
			if m[1] != "" {
				to = path.Join(path.Dir(name), m[1])
			}
			if _, err := fs.Stat(tree, to); err != nil {
				out = append(out, fmt.Sprintf("%s leads to %s, which is not there", name, to))
				continue
			}
			if m[2] == "" || !strings.HasSuffix(to, ".md") {
				continue
			}
			text, err := fs.ReadFile(tree, to)
			if err != nil {
				return nil, err
			}
			if !anchors(string(text))[m[2]] {
				out = append(out, fmt.Sprintf("%s leads to %s#%s, and no heading there has that name", name, to, m[2]))
			}
		}
	}
	return out, nil
}

// TestLinksLead verifies that every link of README.md, of the documents next to it and of those below docs leads to a
// file of the repository, and to a heading of it.
func TestLinksLead(t *testing.T) {
	tree := os.DirFS(root)
	documents, err := fs.Glob(tree, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	below, err := documentsIn(os.DirFS(root + "/docs"))
	if err != nil || len(documents) < 3 || len(below) < 20 {
		t.Fatalf("%d and %d documents: %v", len(documents), len(below), err)
	}
	for _, d := range below {
		documents = append(documents, "docs/"+d)
	}
	wrong, err := dead(tree, documents)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wrong {
		t.Error(w)
	}
}

// TestDeadLinks holds which links are found dead.
func TestDeadLinks(t *testing.T) {
	tree := fstest.MapFS{
		"a.md": {Data: []byte("# A `b`: c, d\n## A b\n## A b\n[1](#a-b-c-d) [2](#a-b-1) [3](sub/b.md#x) " +
			"![4](p.png) `[5](no.md)`\n```\n# not a heading\n[6](no.md)\n```\n" +
			"[7](https://no.example/x) [8](no.md) [9](#not-a-heading) [10](sub)")},
		"sub/b.md": {Data: []byte("# X\n[up](../a.md) [11](../a.md#no)")},
		"p.png":    {},
	}
	got, err := dead(tree, []string{"a.md", "sub/b.md"})
	want := []string{"a.md leads to no.md, which is not there",
		"a.md leads to a.md#not-a-heading, and no heading there has that name",
		"sub/b.md leads to a.md#no, and no heading there has that name"}
	if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v\n%s", err, strings.Join(got, "\n"))
	}
}
