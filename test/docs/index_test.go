package docs

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// target is where a link of a document goes, without the heading.
var target = regexp.MustCompile(`\]\(([^)#\s]+)[^)\s]*\)`)

// reach follows the links of a document to all other documents below the root of docs, and returns the paths of those
// that are found, itself among them. A link to a directory leads to the documents in it. The error names each link to a
// file below docs that does not exist.
func reach(docs fs.FS, from string) ([]string, error) {
	seen := map[string]bool{}
	var errs []error
	next := []string{from}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		text, err := fs.ReadFile(docs, name)
		if err != nil {
			return nil, err
		}
		for _, m := range target.FindAllStringSubmatch(string(text), -1) {
			to := path.Join(path.Dir(name), m[1])
			if strings.Contains(m[1], "://") || !fs.ValidPath(to) {
				continue // on the web, or beside docs
			}
			info, err := fs.Stat(docs, to)
			switch {
			case err != nil:
				errs = append(errs, errors.New(name+" links to "+to+", which is not there"))
			case info.IsDir():
				list, err := fs.Glob(docs, to+"/*.md")
				errs = append(errs, err)
				next = append(next, list...)
			case strings.HasSuffix(to, ".md"):
				next = append(next, to)
			}
		}
	}
	return slices.Sorted(maps.Keys(seen)), errors.Join(errs...)
}

// documentsIn returns the paths of all Markdown files below a root.
func documentsIn(docs fs.FS) ([]string, error) {
	var out []string
	err := fs.WalkDir(docs, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".md") {
			out = append(out, p)
		}
		return err
	})
	return out, err
}

// TestIndexLeadsEverywhere verifies that who opens docs/index.md reaches every document below docs by links.
func TestIndexLeadsEverywhere(t *testing.T) {
	docs := os.DirFS(root + "/docs")
	found, err := reach(docs, "index.md")
	if err != nil {
		t.Error(err)
	}
	all, err := documentsIn(docs)
	if err != nil || len(all) < 20 {
		t.Fatalf("%d documents: %v", len(all), err)
	}
	for _, name := range all {
		if !slices.Contains(found, name) {
			t.Errorf("docs/%s cannot be reached from docs/index.md: link to it there", name)
		}
	}
}

// TestReach holds which links are followed.
func TestReach(t *testing.T) {
	docs := fstest.MapFS{
		"index.md":    {Data: []byte("[a](a.md#there) [b](https://b.md/c.md) [up](../README.md) [d](d)")},
		"a.md":        {Data: []byte("[again](index.md), [one](sub/one.md), [x](x.json)")},
		"sub/one.md":  {Data: []byte("[two](two.md) [gone](gone.md)")},
		"sub/two.md":  {Data: []byte("no links")},
		"d/three.md":  {Data: []byte("")},
		"d/e/five.md": {Data: []byte("")},
		"four.md":     {Data: []byte("[a](a.md)")},
		"x.json":      {Data: []byte("{}")},
	}
	got, err := reach(docs, "index.md")
	if diff := cmp.Diff([]string{"a.md", "d/three.md", "index.md", "sub/one.md", "sub/two.md"}, got); diff != "" {
		t.Error(diff)
	}
	if err == nil || strings.TrimSpace(err.Error()) != "sub/one.md links to sub/gone.md, which is not there" {
		t.Errorf("%v", err)
	}
}
