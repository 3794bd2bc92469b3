package words

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// most bounds how many texts one expression may have; a text put together from
// more alternatives is told in English.
const most = 64

// calls are the functions that take a template: which argument is what. -1 is
// none, and the id is that of the literal around the call.
var calls = map[string]struct{ id, text, many, do, pairs int }{
	"Found":   {-1, 0, -1, -1, 1}, // of check.Case
	"FoundAs": {-1, 1, -1, -1, 2},
	"FoundDo": {-1, 2, -1, 1, 3},
	"found":   {-1, 2, -1, -1, 3}, // of conffile
	"report":  {-1, 4, -1, 2, 5},
	"Set":     {-1, 1, -1, -1, 2}, // of rule.Case
	"Warn":    {-1, 0, -1, -1, 1},
	"M":       {0, 1, -1, -1, 2}, // of say, and of a page
	"N":       {0, 2, 3, -1, 4},
	"say":     {0, 1, -1, -1, 2},
	"many":    {0, 2, 3, -1, 4},
	"Say":     {0, 1, -1, -1, 2}, // of the faces' Words
	"Many":    {0, 2, 3, -1, 4},
}

// folder is the source of one package.
type folder struct {
	dir string
	// packages are those that were read together, by name: a call of a function of one of
	// them is one of the source.
	packages map[string]bool
	base     string // "check", "rule" or "show"
	consts   map[string]ast.Expr
	funcs    map[string]*ast.FuncDecl
	ids      map[string]string          // of a literal, by the name of its variable
	names    map[string]map[string]bool // what a variable's literal or a function names
	texts    []Text
	unread   []string
}

func inFolder(checkout fs.FS, dirs []string) ([]Text, []string, error) {
	var names []string
	for _, dir := range dirs {
		found, err := fs.Glob(checkout, dir+"/*.go")
		if err != nil {
			return nil, nil, err
		}
		names = append(names, found...)
	}
	packages := map[string]bool{}
	for _, name := range names {
		packages[path.Base(path.Dir(name))] = true
	}
	dir := dirs[0]
	f := &folder{dir: dir, packages: packages, base: map[string]string{"check": "check", "conffile": "check",
		"rule": "rule"}[path.Base(dir)],
		consts: map[string]ast.Expr{}, funcs: map[string]*ast.FuncDecl{}, ids: map[string]string{},
		names: map[string]map[string]bool{}}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(checkout, name)
		if err != nil {
			return nil, nil, err
		}
		file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
		f.declare(file)
	}
	for _, file := range files {
		for _, d := range file.Decls {
			f.decl(set, d)
		}
	}
	return f.texts, f.unread, nil
}

// declare notes what names of the package stand for.
func (f *folder) declare(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				f.funcs[d.Name.Name] = d
				f.names[d.Name.Name] = namesIn(d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				vs, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for i, n := range vs.Names {
					if i < len(vs.Values) {
						f.consts[n.Name] = vs.Values[i]
						f.ids[n.Name] = f.idOf(vs.Values[i])
						f.names[n.Name] = namesIn(vs.Values[i])
					}
				}
			}
		}
	}
}

// idOf returns the id of a check or rule that is written as a literal.
func (f *folder) idOf(e ast.Expr) string {
	lit, ok := e.(*ast.CompositeLit)
	if !ok || f.base == "" {
		return ""
	}
	for _, el := range lit.Elts {
		kv, ok := el.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, _ := kv.Key.(*ast.Ident)
		if key == nil || key.Name != "ID" && key.Name != "Address" {
			continue
		}
		switch v := kv.Value.(type) {
		case *ast.BasicLit:
			s, _ := strconv.Unquote(v.Value)
			return f.base + "/" + s
		case *ast.CallExpr: // knob.PG("x"), knob.Sysctl("x")
			if sel, ok := v.Fun.(*ast.SelectorExpr); ok && len(v.Args) == 1 {
				if lit, ok := v.Args[0].(*ast.BasicLit); ok {
					s, _ := strconv.Unquote(lit.Value)
					return f.base + "/" + map[string]string{"PG": "pg:", "Sysctl": "sysctl:"}[sel.Sel.Name] + s
				}
			}
		}
	}
	return ""
}

// decl looks for templates in one declaration. Those in a function of the package
// may be said by any check or rule that calls it: which, is found by who names it.
func (f *folder) decl(set *token.FileSet, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil {
			f.body(set, d.Body, f.callers(d.Name.Name))
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			vs, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for i, v := range vs.Values {
				id := ""
				if i < len(vs.Names) {
					id = f.ids[vs.Names[i].Name]
				}
				f.body(set, v, []string{id})
			}
		}
	}
}

// callers returns the ids of the literals whose functions name a function,
// directly or by another function of the package.
func (f *folder) callers(name string) []string {
	seen, out := map[string]bool{}, []string{}
	var up func(name string)
	up = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for v, id := range f.ids {
			if id != "" && f.names[v][name] {
				out = append(out, id)
			}
		}
		for other := range f.funcs {
			if other != name && f.names[other][name] {
				up(other)
			}
		}
	}
	up(name)
	return out
}

// namesIn returns the identifiers that stand somewhere in a tree.
func namesIn(n ast.Node) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out[id.Name] = true
		}
		return true
	})
	return out
}

func (f *folder) body(set *token.FileSet, scope ast.Node, ids []string) {
	ast.Inspect(scope, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch fn := call.Fun.(type) {
		case *ast.SelectorExpr:
			name = fn.Sel.Name
		case *ast.Ident:
			name = fn.Name
		}
		at, ok := calls[name]
		if !ok || len(call.Args) <= max(at.text, at.many) {
			return true
		}
		of := ids
		last := map[bool]string{true: "/warning", false: "/seen"}[name == "Warn"]
		if f.base == "rule" && name == "Set" {
			last = "/reason"
		}
		if name == "found" || name == "report" {
			if of = f.kinds(call.Args[0], scope); len(of) == 0 {
				return true // another function of this name
			}
		}
		if at.id >= 0 {
			got, whole := f.values(call.Args[0], scope, 0)
			if !whole || len(got) != 1 || !strings.Contains(got[0], "/") {
				return true // not a message with a fixed id: M and say of others
			}
			of, last = got, ""
		}
		f.add(set, scope, call, of, last, at.text, at.many)
		if at.do >= 0 {
			f.add(set, scope, call, of, "/do", at.do, -1)
		}
		f.arguments(scope, call, of, last, at.pairs)
		return true
	})
}

// kinds returns the ids of the literal that the first argument of a call names.
func (f *folder) kinds(e ast.Expr, scope ast.Node) []string {
	if u, ok := e.(*ast.UnaryExpr); ok {
		e = u.X
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	if k := f.ids[id.Name]; k != "" {
		return []string{k}
	}
	var out []string
	for _, v := range assigned(scope, id.Name) {
		if u, ok := v.expr.(*ast.UnaryExpr); ok {
			out = append(out, f.kinds(u, scope)...)
		}
	}
	return out
}

// add notes the texts that an argument may be.
func (f *folder) add(set *token.FileSet, scope ast.Node, call *ast.CallExpr, ids []string, last string, text,
	many int) {
	if sel, ok := call.Args[text].(*ast.SelectorExpr); ok && sel.Sel.Name == "Do" {
		return // the words of the check itself
	}
	got, whole := f.values(call.Args[text], scope, 0)
	if !whole {
		pos := set.Position(call.Pos())
		f.unread = append(f.unread, fmt.Sprintf("%s:%d", pos.Filename, pos.Line))
	}
	plural := ""
	if many >= 0 {
		if m, ok := f.values(call.Args[many], scope, 0); ok && len(m) == 1 {
			plural = m[0]
		}
	}
	for _, id := range ids {
		if id == "" {
			continue
		}
		for _, t := range got {
			f.texts = append(f.texts, Text{id + last, t, plural})
		}
	}
}

// arguments notes the arguments of a message that are words themselves: those
// that are read from the source and have a space.
func (f *folder) arguments(scope ast.Node, call *ast.CallExpr, ids []string, last string, from int) {
	for i := from; i+1 < len(call.Args); i += 2 {
		name, ok := call.Args[i].(*ast.BasicLit)
		if !ok {
			return
		}
		n, err := strconv.Unquote(name.Value)
		if err != nil {
			return
		}
		got, _ := f.values(call.Args[i+1], scope, 0)
		for _, id := range ids {
			for _, v := range got {
				if strings.Contains(strings.TrimSpace(v), " ") && id != "" {
					f.texts = append(f.texts, Text{ID: say.ArgID(id+last, n), English: v})
				}
			}
		}
	}
}
