package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// tell are functions whose error may not be dropped, by their name alone: without it, nothing found, missing and
// unreadable are the same.
var tell = []string{"Glob", "Unmarshal", "ReadDir", "WalkDir", "Sync", "Flush", "Rename"}

// writes are the methods and functions after which closing a file may fail with what was written.
var writes = []string{"Write", "WriteString", "WriteAt", "ReadFrom", "Truncate", "Encode",
	"Fprint", "Fprintf", "Fprintln", "Copy"}

// mayDrop are the functions that may drop such an error, each with its reason.
var mayDrop = map[string]string{
	"act/collect block":                 "a disk without such a folder has nothing below it",
	"act/collect Identity":              "a disk without such a folder has nothing below it",
	"act/collect startedUnits":          "a folder that went away between two looks starts no unit",
	"act/experiment/workload installed": "the pattern is well formed, which is all that Glob's error tells",
	"act/scratch Find":                  "the pattern is well formed, which is all that Glob's error tells",
	"act/scratch installed":             "the patterns are well formed, which is all that Glob's error tells",
	"base/say Languages":                "the folder is embedded",
}

// TestErrorsThatTell verifies that the errors of a few functions are checked: those of tell, and of Close if the same
// function has written.
func TestErrorsThatTell(t *testing.T) {
	used := map[string]bool{}
	for _, dir := range []string{"internal", "cmd", "tools"} {
		for _, s := range sources(t, dir) {
			for _, d := range droppedIn(s.file) {
				where := s.pkg + " " + d.function
				used[where] = true
				if mayDrop[where] == "" {
					t.Errorf("%s:%d: %s: drops the error of %s; return it, or say in mayDrop of"+
						" test/house/dropped_test.go why it tells nothing", s.path,
						s.set.Position(d.at).Line, d.function, d.what)
				}
			}
		}
	}
	for _, where := range slices.Sorted(maps.Keys(mayDrop)) {
		if !used[where] {
			t.Errorf("%s drops no error any more: take it out of mayDrop", where)
		}
	}
}

// dropped is one error that is not checked.
type dropped struct {
	at             token.Pos
	function, what string
}

func droppedIn(f *ast.File) (out []dropped) {
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		written, closed := map[string]bool{}, map[string]bool{}
		var calls []dropped // closes that are dropped: what has the file's name
		drop := func(call *ast.CallExpr) {
			file, name := called(call)
			if name == "Close" {
				calls = append(calls, dropped{call.Pos(), fn.Name.Name, file})
			} else if slices.Contains(tell, name) && file != "unix" && file != "syscall" { // sync(2) reports nothing
				out = append(out, dropped{call.Pos(), fn.Name.Name, name})
			}
		}
		careless := map[*ast.CallExpr]bool{}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			var call *ast.CallExpr
			switch n := n.(type) {
			case *ast.ExprStmt:
				call, _ = n.X.(*ast.CallExpr)
			case *ast.DeferStmt:
				call = n.Call
			case *ast.GoStmt:
				call = n.Call
			case *ast.AssignStmt:
				if last, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && last.Name == "_" && len(n.Rhs) == 1 {
					call, _ = n.Rhs[0].(*ast.CallExpr)
				}
			case *ast.CallExpr:
				file, name := called(n)
				if slices.Contains(writes, name) {
					written[file] = true
					if len(n.Args) > 0 && (file == "io" || file == "fmt" || file == "syscall") {
						if x, ok := n.Args[0].(*ast.Ident); ok {
							written[x.Name] = true
						}
					}
				}
				if (name == "Close" || name == "Sync") && !careless[n] {
					closed[file] = true
				}
			}
			if call != nil {
				careless[call] = true
				drop(call)
			}
			return true
		})
		for _, c := range calls {
			// one that is checked elsewhere is the normal path, and this the exit of an error; Close could not report
			// what reached the disk
			if written[c.what] && !closed[c.what] {
				out = append(out, dropped{c.at, c.function, "Close after " + c.what + " was written to"})
			}
		}
	}
	return out
}

// called is what a call's method is of, where that is a name, and the function's own name.
func called(call *ast.CallExpr) (of, name string) {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return "", f.Name
	case *ast.SelectorExpr:
		switch x := f.X.(type) {
		case *ast.Ident:
			return x.Name, f.Sel.Name
		case *ast.SelectorExpr:
			return x.Sel.Name, f.Sel.Name
		}
		return "", f.Sel.Name
	}
	return "", ""
}

// TestErrorsThatTellCanFail verifies that TestErrorsThatTell finds each way to drop an error, and takes none that is
// examined.
func TestErrorsThatTellCanFail(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
func bad() {
	files, _ := filepath.Glob(pattern)
	_ = json.Unmarshal(b, &v)
	json.Unmarshal(b, &v)
	defer os.Rename(a, b)
	unix.Sync()
	names, _ = s.t.ReadDir(at)
}
func good() error {
	files, err := filepath.Glob(pattern)
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	b, _ := os.Getwd()
	return os.Rename(a, b)
}
func writesBad() { f.Write(b); defer f.Close() }
func copiesBad() { io.Copy(f, r); defer func() { _ = f.Close() }() }
func reads() { io.ReadAll(f); defer f.Close() }
func writesGood() error {
	if _, err := f.Write(b); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range droppedIn(f) {
		got = append(got, d.function+" "+d.what)
	}
	want := []string{"bad Glob", "bad Unmarshal", "bad Unmarshal", "bad Rename", "bad ReadDir",
		"writesBad Close after f was written to", "copiesBad Close after f was written to"}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
