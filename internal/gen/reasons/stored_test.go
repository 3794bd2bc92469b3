package reasons

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
)

// stored are the packages whose errors a journal or an evidence may hold, as English text.
var stored = []string{"act/apply", "act/pgctl", "act/movewal", "act/target", "act/serverprogram"}

// unstored are their errors that are only shown, each with the reason.
var unstored = map[string]string{
	"NOTIFY_SOCKET is neither a path nor an abstract name": "of a service, which has no journal",
	"service manager: {reason}":                            "of a service, which has no journal",
	"phase {value}":                                        "of a note that no move has written",
	"place {value}":                                        "of a note that no move has written",
}

// TestStoredErrorsAreRecognized verifies that an error that a journal has as its reason is shown in the language of the
// journal's reader.
func TestStoredErrorsAreRecognized(t *testing.T) {
	used, n := map[string]bool{}, 0
	for _, dir := range stored {
		root := filepath.Join("../..", dir)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for _, text := range saidErrors(t, path) {
				n++
				if _, ok := unstored[text]; ok {
					used[text] = true
				} else if !hasTemplate(withHoles(text)) {
					t.Errorf("%s: %q has no template in internal/fact/gapwords", path, text)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 100 {
		t.Errorf("only %d errors were found", n)
	}
	for text := range unstored {
		if !used[text] {
			t.Errorf("the source has no %q any more: take it out of the list", text)
		}
	}
}

// withHoles is a template with what is found in the source in place of its placeholders.
func withHoles(text string) string {
	for _, name := range say.Placeholders(text) {
		fill := Hole
		switch name {
		case "path", "dir":
			fill = "/" + Hole
		case "time":
			fill = "5s"
		}
		text = strings.ReplaceAll(text, "{"+name+"}", fill)
	}
	return text
}

// saidErrors returns the templates of the calls of say.Err in a file.
func saidErrors(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		fn, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || fn.Sel.Name != "Err" {
			return true
		}
		if from, ok := fn.X.(*ast.Ident); ok && from.Name == "say" {
			out = append(out, literal(t, call.Args[0]))
		}
		return true
	})
	return out
}

// literal is the text of a literal, or of several with + between them.
func literal(t *testing.T, e ast.Expr) string {
	t.Helper()
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return literal(t, e.X) + literal(t, e.Y)
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Errorf("%T is no literal", e)
	return ""
}

// TestHolesOfATemplate verifies that a template is filled as it is recognized.
func TestHolesOfATemplate(t *testing.T) {
	if got, want := withHoles("{path}: {n} of {n}, {time}"), "/"+Hole+": "+Hole+" of "+Hole+", 5s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if gapwords.Has("xyzzy " + Hole) {
		t.Error("anything is recognized")
	}
}
