// Package house holds the tests that keep the house as docs/architecture.md draws it:
// which storey and which package may import which, what the pure storeys may not touch,
// a comment on every package, and a decision for every dependency.
package house

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite arrows.txt: read the difference, each new line is a decision")

const module = "github.com/pgfettle/pgfettle/"

// root is the checkout, two directories up from this one.
const root = "../.."

// storeys are from the lowest to the highest.
var storeys = []string{"base", "fact", "judge", "act", "app", "show"}

type source struct {
	path string // relative to the checkout
	pkg  string // package directory relative to internal, such as fact/host
	text string
	file *ast.File
	set  *token.FileSet
}

// sources are the Go files below a directory of the checkout that are built: no tests, no generators.
func sources(t *testing.T, dir string) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(filepath.Join(root, dir), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "gen") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(set, p, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(rel)), "internal/")
		out = append(out, source{path: filepath.ToSlash(rel), pkg: pkg, text: string(text), file: f, set: set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("no Go files under %s: the test looks in the wrong place", dir)
	}
	return out
}

// imports are the paths that a file imports.
func (s *source) imports() []string {
	var out []string
	for _, imp := range s.file.Imports {
		p, _ := strconv.Unquote(imp.Path.Value) // the parser took it
		out = append(out, p)
	}
	return out
}

// storey is the number of a package's storey; -1: it is in none.
func storey(pkg string) int {
	first, _, _ := strings.Cut(pkg, "/")
	return slices.Index(storeys, first)
}

// TestArrows verifies that every import between two of our packages is in arrows.txt, and that none goes up.
func TestArrows(t *testing.T) {
	found := map[string]bool{}
	for _, dir := range []string{"internal", "cmd"} {
		for _, s := range sources(t, dir) {
			from := storey(s.pkg)
			if from < 0 && dir == "internal" {
				t.Errorf("%s: %s is in no storey", s.path, s.pkg)
				continue
			}
			for _, path := range s.imports() {
				to, ours := strings.CutPrefix(path, module+"internal/")
				if !ours {
					continue
				}
				found[s.pkg+" → "+to] = true
				switch up := storey(to); {
				case dir == "internal" && up > from:
					t.Errorf("%s imports %s: arrows go down only", s.path, to)
				}
			}
		}
	}
	const list = "arrows.txt"
	if *update {
		text := strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
		if err := os.WriteFile(list, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if drawn[line] {
			t.Errorf("%s has twice: %s", list, line)
		}
		drawn[line] = true
		if !found[line] {
			t.Errorf("%s: no file has this import any more, take it out: %s", list, line)
		}
	}
	for _, arrow := range slices.Sorted(maps.Keys(found)) {
		if !drawn[arrow] {
			t.Errorf("%s: not drawn: %s; an arrow is a decision: is there no room that both should know?", list, arrow)
		}
	}
}

// TestShowNeverImportsAct verifies that a face asks app: it knows documents, and nothing of files, servers, and
// programs.
func TestShowNeverImportsAct(t *testing.T) {
	found := map[string]bool{}
	for _, s := range sources(t, "internal/show") {
		for _, path := range s.imports() {
			if !strings.HasPrefix(path, module+"internal/act/") || found[s.path] {
				continue
			}
			found[s.path] = true
			t.Errorf("%s imports %s: show asks app, app asks act", s.path, path)
		}
	}
}

// TestEveryPackageSaysWhatItIs verifies that each package has one package comment, for a new reader.
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	said := map[string]bool{}
	for _, dir := range []string{"internal", "cmd", "docs"} {
		for _, s := range sources(t, dir) {
			if s.file.Doc != nil && len(strings.TrimSpace(s.file.Doc.Text())) > 30 {
				said[s.pkg] = true
			} else if !said[s.pkg] {
				said[s.pkg] = false
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(said)) {
		if !said[p] {
			t.Errorf("package %s has no comment that says what it is for", p)
		}
	}
}

// TestNoBags verifies that no package is named after nothing.
func TestNoBags(t *testing.T) {
	for _, s := range sources(t, "internal") {
		switch filepath.Base(s.pkg) {
		case "util", "utils", "common", "helpers", "helper", "types", "misc", "shared":
			t.Errorf("%s: a package named %s holds anything", s.path, filepath.Base(s.pkg))
		}
	}
}
