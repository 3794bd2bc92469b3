package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// atOnce are the names under which tests call live.EachAtOnce and live.OnAtOnce.
var atOnce = []string{"each", "on", "EachAtOnce", "OnAtOnce"}

// TestVersionsAtOnceEndTheirTest holds what live.OnAtOnce asks of its callers: the versions run
// when the function that starts them has returned, so nothing may follow them there, and nothing
// may be deferred before.
func TestVersionsAtOnceEndTheirTest(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "test/servers/*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	set, found := token.NewFileSet(), 0
	for _, name := range files {
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		n, wrong := notLast(f)
		found += n
		for _, at := range wrong {
			t.Errorf("%s: the versions run after the function that starts them has returned: let nothing follow"+
				" or be deferred, or take live.On", set.Position(at))
		}
	}
	if found < 20 {
		t.Errorf("only %d calls were found", found)
	}
}

// notLast returns how many calls of atOnce a file has, and where one does not end its function.
func notLast(f *ast.File) (found int, wrong []token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
		if body == nil {
			return true
		}
		deferred := false
		for i, s := range body.List {
			if _, ok := s.(*ast.DeferStmt); ok {
				deferred = true
			}
			e, ok := s.(*ast.ExprStmt)
			if !ok {
				continue
			}
			call, ok := e.X.(*ast.CallExpr)
			if !ok {
				continue
			}
			of, name := called(call)
			if !slices.Contains(atOnce, name) || of != "" && of != "live" {
				continue
			}
			found++
			if deferred || i != len(body.List)-1 {
				wrong = append(wrong, call.Pos())
			}
		}
		return true
	})
	return found, wrong
}

// TestVersionsAtOnceCanFail verifies that TestVersionsAtOnceEndTheirTest finds both ways to be wrong.
func TestVersionsAtOnceCanFail(t *testing.T) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "x.go", `package x
func good(t *testing.T) { m := 1; each(t, func() { defer f() }) }
func followed(t *testing.T) {
	on(t, some, run)
	judge()
}
func deferred(t *testing.T) {
	t.Run("group", func(t *testing.T) {
		defer f()
		live.OnAtOnce(t, some, run)
	})
}
func other(t *testing.T) { live.On(t, some, run); judge() }`, 0)
	if err != nil {
		t.Fatal(err)
	}
	found, wrong := notLast(f)
	var lines []string
	for _, at := range wrong {
		lines = append(lines, set.Position(at).String())
	}
	if got := strings.Join(lines, " "); found != 3 || got != "x.go:4:2 x.go:10:3" {
		t.Errorf("%d found, wrong: %s", found, got)
	}
}
