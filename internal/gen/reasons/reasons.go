// Package reasons finds every text in the source that can become the reason of an unknown fact, or what would
// reveal it. Those texts are plain strings, as evidence holds them: what is found here has to be among the templates
// of fact/gapwords, by which they are recognized when they are shown.
package reasons

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/pgfettle/pgfettle/"

// Hole is in a text for what only a run knows: a name, an amount, the words of an error.
const Hole = "\x00"

// Found is one text, with the place where it goes into a gap, or to a function that makes one.
type Found struct {
	Text string
	At   string
}

// holders are the types whose fields Reason and Reveal are such texts.
var holders = []string{"internal/base/known.Gap", "internal/fact/evidence.Missing", "internal/fact/pg.Failure",
	"internal/fact/pg.Visit"}

// readers are the packages whose errors are why a fact is malformed.
var readers = []string{"internal/fact/host", "internal/fact/host/cgroup", "internal/fact/pg"}

// deepest is through how many calls and variables a text is followed.
const deepest = 8

// All returns what packages of a checkout say, sorted, each text once.
func All(checkout string, patterns ...string) ([]Found, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: checkout}, patterns...)
	if err != nil {
		return nil, err
	}
	s := &source{funcs: map[string]function{}, fields: map[string][]value{}, globals: map[string]value{},
		sinks: map[string]bool{}, found: map[string]string{},
		known: map[ast.Expr][]string{}}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		for _, file := range p.Syntax {
			s.index(p, file)
		}
	}
	for before := -1; before < len(s.sinks); { // a parameter that goes into a gap makes its callers say it
		before = len(s.sinks)
		for _, d := range s.bodies {
			s.walk(d)
		}
	}
	out := make([]Found, 0, len(s.found))
	for text, at := range s.found {
		out = append(out, Found{text, at})
	}
	slices.SortFunc(out, func(a, b Found) int { return strings.Compare(a.Text, b.Text) })
	return out, nil
}

type source struct {
	funcs   map[string]function
	fields  map[string][]value // what is put into a field anywhere, by where the field is declared
	globals map[string]value   // variables of packages
	sinks   map[string]bool    // parameters that go into a gap
	bodies  []function
	found   map[string]string
	known   map[ast.Expr][]string // what was read before
}

// function is a declaration of one, or a variable of a package.
type function struct {
	p    *packages.Package
	decl ast.Node
}

type value struct {
	in function
	e  ast.Expr
}

// index notes the functions of a file, and what is put into fields.
func (s *source) index(p *packages.Package, file *ast.File) {
	for _, d := range file.Decls {
		f := function{p, d}
		s.bodies = append(s.bodies, f)
		if fd, ok := d.(*ast.FuncDecl); ok {
			if obj, ok := p.TypesInfo.Defs[fd.Name].(*types.Func); ok {
				s.funcs[obj.FullName()] = f
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
				for i, name := range v.Names {
					if obj, ok := p.TypesInfo.Defs[name].(*types.Var); ok && obj.Parent() == p.Types.Scope() {
						s.globals[s.key(p, obj)] = value{f, v.Values[i]}
					}
				}
			}
			s.puts(f, n, func(field *types.Var, _ string, e ast.Expr) {
				key := s.key(p, field)
				s.fields[key] = append(s.fields[key], value{f, e})
			})
			return true
		})
	}
}

// puts returns what a node puts into fields of structs, with the name of their type.
func (s *source) puts(f function, n ast.Node, tell func(field *types.Var, of string, e ast.Expr)) {
	info := f.p.TypesInfo
	switch n := n.(type) {
	case *ast.CompositeLit:
		t := info.TypeOf(n)
		if t == nil {
			return
		}
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		for i, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if field, ok := info.Uses[kv.Key.(*ast.Ident)].(*types.Var); ok {
					tell(field, nameOf(t), kv.Value)
				}
			} else if i < st.NumFields() {
				tell(st.Field(i), nameOf(t), e)
			}
		}
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			sel, ok := l.(*ast.SelectorExpr)
			if !ok || len(n.Lhs) != len(n.Rhs) {
				continue
			}
			if field, ok := info.Uses[sel.Sel].(*types.Var); ok && field.IsField() {
				tell(field, nameOf(info.TypeOf(sel.X)), n.Rhs[i])
			}
		}
	}
}

func nameOf(t types.Type) string {
	if t == nil {
		return ""
	}
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return strings.TrimPrefix(n.Obj().Pkg().Path(), module) + "." + n.Obj().Name()
	}
	return ""
}

// key names a variable by where it is declared, as a package that is imported may have it as another object.
func (s *source) key(p *packages.Package, v *types.Var) string {
	at := p.Fset.Position(v.Pos())
	return fmt.Sprintf("%s:%d:%s", filepath.Base(filepath.Dir(at.Filename))+"/"+filepath.Base(at.Filename), at.Line,
		v.Name())
}

// walk finds what one declaration puts into gaps, itself or through parameters that do.
func (s *source) walk(f function) {
	ast.Inspect(f.decl, func(n ast.Node) bool {
		s.puts(f, n, func(field *types.Var, of string, e ast.Expr) {
			if slices.Contains(holders, of) && (field.Name() == "Reason" || field.Name() == "Reveal") {
				s.say(f, e)
			}
		})
		if call, ok := n.(*ast.CallExpr); ok {
			if slices.Contains(readers, strings.TrimPrefix(f.p.PkgPath, module)) && isError(f, call) {
				s.sayError(f, call)
			}
			if sig, ok := f.p.TypesInfo.TypeOf(call.Fun).(*types.Signature); ok && !sig.Variadic() {
				for i := range min(sig.Params().Len(), len(call.Args)) {
					if s.sinks[s.key(f.p, sig.Params().At(i))] {
						s.say(f, call.Args[i])
					}
				}
			}
		}
		return true
	})
}

func (s *source) say(f function, e ast.Expr) {
	at := f.p.Fset.Position(e.Pos())
	for _, text := range s.texts(f, e, nil, 0) {
		if _, ok := s.found[text]; !ok && text != "" {
			s.found[text] = fmt.Sprintf("%s/%s:%d", strings.TrimPrefix(f.p.PkgPath, module), filepath.Base(at.Filename),
				at.Line)
		}
	}
}

// sayError notes the format of an error; all that is filled in is a hole.
func (s *source) sayError(f function, call *ast.CallExpr) {
	v := f.p.TypesInfo.Types[call.Args[0]].Value
	if v == nil {
		return
	}
	at := f.p.Fset.Position(call.Pos())
	text := reVerb.ReplaceAllString(constant.StringVal(v), Hole)
	if _, ok := s.found[text]; !ok {
		s.found[text] = fmt.Sprintf("%s/%s:%d", strings.TrimPrefix(f.p.PkgPath, module), filepath.Base(at.Filename),
			at.Line)
	}
}

// isError reports whether a call makes an error of a text.
func isError(f function, call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := f.p.TypesInfo.Uses[sel.Sel].(*types.Func)
	return ok && (fn.FullName() == "errors.New" || fn.FullName() == "fmt.Errorf")
}

var reVerb = regexp.MustCompile(`%[-+# 0]*[0-9]*(?:\.[0-9]+)?[a-zA-Z%]`)

// texts returns what an expression may be, with holes. A parameter is none of it: its callers say it.
func (s *source) texts(f function, e ast.Expr, bound map[types.Object][]string, depth int) []string {
	if len(bound) > 0 || depth > deepest {
		return s.read(f, e, bound, depth)
	}
	list, ok := s.known[e]
	if !ok {
		s.known[e] = []string{Hole} // where it leads to itself
		list = s.read(f, e, nil, depth)
		s.known[e] = list
	}
	return list
}

func (s *source) read(f function, e ast.Expr, bound map[types.Object][]string, depth int) []string {
	info := f.p.TypesInfo
	if v := info.Types[e].Value; v != nil && v.Kind() == constant.String {
		return []string{constant.StringVal(v)}
	}
	hole := []string{Hole}
	if depth > deepest {
		return hole
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.texts(f, e.X, bound, depth+1)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return joined(orHole(s.texts(f, e.X, bound, depth+1)), orHole(s.texts(f, e.Y, bound, depth+1)))
		}
	case *ast.Ident:
		obj := info.Uses[e]
		if list, ok := bound[obj]; ok {
			return list
		}
		v, ok := obj.(*types.Var)
		if !ok {
			return hole
		}
		if s.isParam(f, v) {
			s.sinks[s.key(f.p, v)] = true
			return nil
		}
		if g, ok := s.globals[s.key(f.p, v)]; ok {
			return s.texts(g.in, g.e, nil, depth+1)
		}
		return s.variable(f, v, bound, depth)
	case *ast.SelectorExpr:
		field, ok := info.Uses[e.Sel].(*types.Var)
		if !ok || !field.IsField() || slices.Contains(holders, nameOf(info.TypeOf(e.X))) {
			return nil // of another gap
		}
		if !isString(field.Type()) {
			return hole
		}
		var out []string
		for _, v := range s.fields[s.key(f.p, field)] {
			out = append(out, s.texts(v.in, v.e, nil, depth+2)...)
		}
		return unique(out)
	case *ast.CallExpr:
		return s.call(f, e, 0, bound, depth)
	}
	return hole
}

func orHole(list []string) []string {
	if len(list) == 0 {
		return []string{Hole}
	}
	return list
}

// joined returns each of one list with each of another.
func joined(a, b []string) (out []string) {
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return unique(out)
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// isParam reports whether a variable is a parameter of a function or of a function literal in it.
func (s *source) isParam(f function, v *types.Var) bool {
	param := false
	ast.Inspect(f.decl, func(n ast.Node) bool {
		if t, ok := n.(*ast.FuncType); ok && t.Params != nil {
			for _, field := range t.Params.List {
				for _, name := range field.Names {
					param = param || f.p.TypesInfo.Defs[name] == v
				}
			}
		}
		return !param
	})
	return param
}

// variable returns all that is put into a variable where it is declared.
func (s *source) variable(f function, v *types.Var, bound map[types.Object][]string, depth int) (out []string) {
	info := f.p.TypesInfo
	is := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && (info.Defs[id] == v || info.Uses[id] == v)
	}
	put := func(i, n int, list []ast.Expr) {
		switch {
		case len(list) == n:
			out = append(out, s.texts(f, list[i], bound, depth+1)...)
		case len(list) == 1:
			if call, ok := list[0].(*ast.CallExpr); ok {
				out = append(out, s.call(f, call, i, bound, depth+1)...)
			} else {
				out = append(out, Hole)
			}
		}
	}
	ast.Inspect(f.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if is(l) {
					put(i, len(n.Lhs), n.Rhs)
				}
			}
		case *ast.ValueSpec:
			for i, l := range n.Names {
				if is(l) {
					put(i, len(n.Names), n.Values)
				}
			}
		case *ast.RangeStmt:
			if n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value) {
				out = append(out, Hole)
			}
		}
		return true
	})
	return unique(out)
}

// call returns what a call may return as one of its results.
func (s *source) call(f function, call *ast.CallExpr, result int, bound map[types.Object][]string, depth int) []string {
	info := f.p.TypesInfo
	hole := []string{Hole}
	if info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		return s.texts(f, call.Args[0], bound, depth+1)
	}
	var id *ast.Ident
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return hole
	}
	fn, ok := info.Uses[id].(*types.Func)
	if !ok {
		return hole
	}
	switch fn.FullName() {
	case "fmt.Sprintf":
		return s.format(f, call, bound, depth)
	case module + "internal/base/say.M":
		if v := info.Types[call.Args[0]].Value; v != nil {
			return []string{rePlaceholder.ReplaceAllString(constant.StringVal(v), Hole)}
		}
		return hole
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && isMessage(info.TypeOf(sel.X)) &&
		(fn.Name() == "String" || fn.Name() == "English") {
		return s.texts(f, sel.X, bound, depth+1)
	}
	if fn.FullName() == "cmp.Or" {
		var out []string
		for _, a := range call.Args {
			out = append(out, s.texts(f, a, bound, depth+1)...)
		}
		return unique(out)
	}
	d, ok := s.funcs[fn.FullName()]
	if !ok || slices.Contains([]string{"Error", "String", "English", "In"}, fn.Name()) {
		return hole
	}
	return s.returned(d, f, call, result, bound, depth)
}

// returned returns what a function of the project may return, with the arguments of a call.
func (s *source) returned(d, f function, call *ast.CallExpr, result int, bound map[types.Object][]string,
	depth int) (out []string) {
	decl := d.decl.(*ast.FuncDecl)
	if decl.Body == nil || depth > deepest {
		return []string{Hole}
	}
	own, i := map[types.Object][]string{}, 0
	for _, field := range decl.Type.Params.List {
		for _, name := range field.Names {
			if obj := d.p.TypesInfo.Defs[name]; obj != nil && i < len(call.Args) {
				own[obj] = []string{Hole}
				if isString(obj.Type()) || isMessage(obj.Type()) {
					own[obj] = orHole(s.texts(f, call.Args[i], bound, depth+1))
				}
			}
			i++
		}
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			switch {
			case result < len(n.Results) && (len(n.Results) > 1 || result == 0 && fnResults(decl) == 1):
				out = append(out, s.texts(d, n.Results[result], own, depth+1)...)
			case len(n.Results) == 1:
				if inner, ok := n.Results[0].(*ast.CallExpr); ok {
					out = append(out, s.call(d, inner, result, own, depth+1)...)
				}
			default:
				out = append(out, Hole)
			}
		}
		return true
	})
	return unique(out)
}

func fnResults(d *ast.FuncDecl) int {
	if d.Type.Results == nil {
		return 0
	}
	return d.Type.Results.NumFields()
}

// format returns what Sprintf makes of a format that is a constant.
func (s *source) format(f function, call *ast.CallExpr, bound map[types.Object][]string, depth int) []string {
	list := s.texts(f, call.Args[0], bound, depth+1)
	if len(list) != 1 {
		return []string{Hole}
	}
	out, arg, rest := []string{""}, 1, list[0]
	for {
		at := reVerb.FindStringIndex(rest)
		if at == nil {
			return joined(out, []string{rest})
		}
		out = joined(out, []string{rest[:at[0]]})
		verb := rest[at[0]:at[1]]
		rest = rest[at[1]:]
		switch {
		case verb == "%%":
			out = joined(out, []string{"%"})
			continue
		case verb == "%s" && arg < len(call.Args) && isString(f.p.TypesInfo.TypeOf(call.Args[arg])):
			out = joined(out, orHole(s.texts(f, call.Args[arg], bound, depth+1)))
		default:
			out = joined(out, []string{Hole})
		}
		arg++
	}
}

var rePlaceholder = regexp.MustCompile(`\{\w+\}`)

func isMessage(t types.Type) bool { return nameOf(t) == "internal/base/say.Message" }

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}
