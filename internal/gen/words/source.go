package words

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/pgfettle/pgfettle/"

// makers may make a template of a string that is no constant: of the texts in the literals of
// checks, which are constants that All asks the program for.
var makers = []string{"internal/base/say", "internal/judge/check"}

// templates returns the constants of the type say.Template in packages of a checkout, and the
// places where one is made of what is no constant.
func templates(checkout string, patterns ...string) (found, []string, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: checkout}, patterns...)
	if err != nil {
		return nil, nil, err
	}
	all := found{}
	var loose []string
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, nil, p.Errors[0]
		}
		path := strings.TrimPrefix(p.PkgPath, module)
		w := walker{p, strings.TrimPrefix(path, "internal/"), all, slices.Contains(makers, path), nil}
		for _, file := range p.Syntax {
			ast.Inspect(file, w.visit)
		}
		loose = append(loose, w.loose...)
	}
	slices.Sort(loose)
	return all, loose, nil
}

type walker struct {
	p     *packages.Package
	in    string
	all   found
	maker bool
	loose []string
}

// visit notes a template, and reports whether to look inside of it.
func (w *walker) visit(n ast.Node) bool {
	if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
		return false // found where it is used, alone or as a part of another constant
	}
	e, ok := n.(ast.Expr)
	if !ok {
		return true
	}
	if call, ok := e.(*ast.CallExpr); ok {
		if one, many, ok := w.forms(call); ok {
			w.all.addBoth(w.in, one, many)
			for _, a := range call.Args {
				if v := w.p.TypesInfo.Types[a]; v.Value == nil || !isTemplate(v.Type) {
					ast.Inspect(a, w.visit)
				}
			}
			ast.Inspect(call.Fun, w.visit)
			return false
		}
	}
	v, ok := w.p.TypesInfo.Types[e]
	switch {
	case !ok || !isTemplate(v.Type) || v.IsType():
		return true
	case v.Value != nil:
		w.all.add(w.in, constant.StringVal(v.Value))
		return false
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		w.note(e)
		return false
	case *ast.CallExpr:
		if w.p.TypesInfo.Types[e.Fun].IsType() { // a conversion
			w.note(e)
		}
	}
	return true
}

func (w *walker) note(e ast.Expr) {
	if w.maker {
		return
	}
	at := w.p.Fset.Position(e.Pos())
	w.loose = append(w.loose, fmt.Sprintf("%s/%s:%d", w.in, filepath.Base(at.Filename), at.Line))
}

// forms returns both forms of a call that chooses between them by a number: the arguments
// of parameters that are named one and many.
func (w *walker) forms(call *ast.CallExpr) (one, many string, ok bool) {
	sig, _ := w.p.TypesInfo.TypeOf(call.Fun).(*types.Signature)
	if sig == nil {
		return "", "", false
	}
	for i := range min(sig.Params().Len(), len(call.Args)) {
		p := sig.Params().At(i)
		v := w.p.TypesInfo.Types[call.Args[i]]
		if v.Value == nil || !isTemplate(p.Type()) {
			continue
		}
		switch p.Name() {
		case "one":
			one = constant.StringVal(v.Value)
		case "many":
			many = constant.StringVal(v.Value)
		}
	}
	return one, many, one != "" && many != ""
}

func isTemplate(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Template" && n.Obj().Pkg() != nil &&
		n.Obj().Pkg().Path() == module+"internal/base/say"
}
