// Package house holds the tests that keep the house as it was drawn: which
// storey may import which, what the pure storeys may not touch, a comment on
// every package, generated files that are current, and the list of modules
// that go into the binary.
package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/pgfettle/pgfettle/"

// root is the checkout, two folders up from this one.
const root = "../.."

var storeys = []string{"base", "fact", "judge", "act", "show"}

// sideways lists the packages that others of their own storey may import:
// those that the house puts under them.
var sideways = map[string][]string{
	"base":  {"known"},
	"fact":  {"evidence", "pg", "pg/params", "pg/releases", "host", "kernlog", "pglog", "measured", "snapshot"},
	"judge": {"limits", "memory", "stat", "rule", "rule/planned", "check"},
}

// user names, for each package that may be imported sideways, who may do so;
// an empty list means every package of the storey.
var user = map[string][]string{
	"fact/pg":          {"fact/snapshot"},
	"fact/pg/conf":     {"fact/pg"}, // the settings of a server that does not run are those of its files
	"fact/pg/params":   {"fact/pg", "fact/snapshot"},
	"fact/pg/releases": {"fact/snapshot"},
	"fact/host":        {"fact/snapshot"},
	"fact/kernlog":     {"fact/snapshot"},
	"fact/pglog":       {"fact/snapshot"},
	"fact/measured":    {"fact/snapshot"},
	"fact/past":        {"fact/snapshot"},
	"fact/snapshot":    {},
	"judge/rule":       {"judge/plan", "judge/policy", "judge/check"},    // a policy pins their knobs; findings tell the numbers of the plan
	"judge/check":      {"judge/conffile", "judge/policy", "judge/plan"}, // findings and words for what is dangerous in a file too; a policy accepts them; a plan names those that it leaves
}

// impure is what the pure storeys may not import: the world.
var impure = []string{"os", "os/exec", "net", "database/sql", "syscall", "math/rand", "math/rand/v2"}

type source struct {
	path string // relative to the checkout
	pkg  string // package folder relative to internal, such as fact/host
	file *ast.File
	set  *token.FileSet
}

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
		f, err := parser.ParseFile(set, p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(rel)), "internal/")
		out = append(out, source{path: rel, pkg: pkg, file: f, set: set})
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

func storey(pkg string) int {
	first, _, _ := strings.Cut(pkg, "/")
	for i, s := range storeys {
		if s == first {
			return i
		}
	}
	return -1
}

// TestArrowsGoDown holds that no package imports one of a storey above it, nor
// one beside it that the house does not put under it.
func TestArrowsGoDown(t *testing.T) {
	for _, s := range sources(t, "internal") {
		from := storey(s.pkg)
		if from < 0 {
			t.Errorf("%s: %s is in no storey", s.path, s.pkg)
			continue
		}
		for _, imp := range s.file.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			to, ours := strings.CutPrefix(path, module+"internal/")
			if !ours {
				continue
			}
			switch up := storey(to); {
			case up > from:
				t.Errorf("%s imports %s: arrows go down only", s.path, to)
			case up == from && from <= 2 && !mayAside(s.pkg, to):
				t.Errorf("%s imports %s: the house does not put that package under it", s.path, to)
			}
		}
	}
}

func mayAside(from, to string) bool {
	st, name, _ := strings.Cut(to, "/")
	listed := false
	for _, p := range sideways[st] {
		listed = listed || p == name
	}
	users, limited := user[to]
	if !limited {
		return listed
	}
	for _, u := range users {
		if u == from {
			return true
		}
	}
	return false
}

// TestPureStoreysTouchNothing holds that base, fact and judge import nothing of
// the world and ask no clock.
func TestPureStoreysTouchNothing(t *testing.T) {
	for _, dir := range []string{"internal/base", "internal/fact", "internal/judge"} {
		for _, s := range sources(t, dir) {
			for _, imp := range s.file.Imports {
				path, _ := strconv.Unquote(imp.Path.Value)
				for _, bad := range impure {
					if path == bad {
						t.Errorf("%s imports %s: this storey is pure", s.path, path)
					}
				}
			}
			ast.Inspect(s.file, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && (sel.Sel.Name == "Now" || sel.Sel.Name == "Since" || sel.Sel.Name == "Until") {
					t.Errorf("%s: time.%s: this storey is pure; the time is a fact of the evidence", s.set.Position(n.Pos()), sel.Sel.Name)
				}
				return true
			})
		}
	}
}

// TestOnlyTargetAndItsKinRunPrograms holds that commands are run and sockets
// dialled in few places, so that redirecting them to another host is one change.
func TestOnlyTargetAndItsKinRunPrograms(t *testing.T) {
	allowed := map[string]bool{"act/target": true, "act/server": true, "act/collect": true,
		"show/serve": true} // it listens; what it dials is its own socket, to see whether somebody is behind it
	for _, s := range sources(t, "internal") {
		for _, imp := range s.file.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			if (path == "os/exec" || path == "net") && !allowed[s.pkg] {
				t.Errorf("%s imports %s: only the target, the server and the collector reach out", s.path, path)
			}
		}
	}
}

// TestEveryPackageSaysWhatItIs holds that each package has one package comment,
// for a reader on his first day.
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	said := map[string]bool{}
	for _, dir := range []string{"internal", "cmd"} {
		for _, s := range sources(t, dir) {
			if _, ok := said[s.pkg]; !ok {
				said[s.pkg] = false
			}
			if s.file.Doc != nil && len(strings.TrimSpace(s.file.Doc.Text())) > 30 {
				said[s.pkg] = true
			}
		}
	}
	var pkgs []string
	for p := range said {
		pkgs = append(pkgs, p)
	}
	sort.Strings(pkgs)
	for _, p := range pkgs {
		if !said[p] {
			t.Errorf("package %s has no comment that says what it is for", p)
		}
	}
}

// TestNoBags holds that no package is named after nothing.
func TestNoBags(t *testing.T) {
	for _, s := range sources(t, "internal") {
		switch filepath.Base(s.pkg) {
		case "util", "utils", "common", "helpers", "helper", "types", "misc", "shared":
			t.Errorf("%s: a package named %s holds anything", s.path, filepath.Base(s.pkg))
		}
	}
}

// TestLongFilesOweAReason holds that a file over 500 lines says why.
func TestLongFilesOweAReason(t *testing.T) {
	for _, s := range sources(t, "internal") {
		b, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(b), "\n"); n > 500 && !strings.Contains(string(b), "Long because") && !strings.Contains(string(b), "DO NOT EDIT") {
			t.Errorf("%s has %d lines and gives no reason («Long because …»)", s.path, n)
		}
	}
}
