package words

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// assignment is one text that a variable is given, or that is added to it.
type assignment struct {
	expr  ast.Expr
	adds  bool
	block ast.Node // the innermost one around it
	end   token.Pos
}

// assigned returns what a variable is given within a function, in the order of
// the source. An assignment from a function of several results has a nil expr.
func assigned(scope ast.Node, name string) []assignment {
	var out []assignment
	var blocks []ast.Node
	var end token.Pos
	note := func(names []ast.Expr, values []ast.Expr, adds bool) {
		for i, n := range names {
			if id, ok := n.(*ast.Ident); !ok || id.Name != name {
				continue
			}
			var v ast.Expr
			if len(values) == len(names) {
				v = values[i]
			}
			out = append(out, assignment{v, adds, innermost(blocks), end})
		}
	}
	ast.Inspect(scope, func(n ast.Node) bool {
		if n == nil {
			blocks = blocks[:len(blocks)-1]
			return true
		}
		blocks, end = append(blocks, n), n.End()
		switch n := n.(type) {
		case *ast.AssignStmt:
			note(n.Lhs, n.Rhs, n.Tok == token.ADD_ASSIGN)
		case *ast.RangeStmt:
			end = n.Body.Pos()
			note([]ast.Expr{n.Key, n.Value}, nil, false)
		case *ast.ValueSpec:
			var names []ast.Expr
			for _, id := range n.Names {
				names = append(names, id)
			}
			if len(n.Values) == 0 {
				empty := &ast.BasicLit{Kind: token.STRING, Value: `""`}
				for range names {
					n.Values = append(n.Values, empty)
				}
			}
			note(names, n.Values, false)
		}
		return true
	})
	return out
}

// innermost returns the last of the nodes that holds statements.
func innermost(nodes []ast.Node) ast.Node {
	for i := len(nodes) - 1; i >= 0; i-- {
		switch nodes[i].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return nodes[i]
		}
	}
	return nil
}

// values returns the texts that an expression may have, as far as they stand in
// the source; whole is false where there may be others.
func (f *folder) values(e ast.Expr, scope ast.Node, depth int) (out []string, whole bool) {
	if depth > 8 { // a variable that is made from itself
		return nil, false
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return []string{s}, err == nil && e.Kind == token.STRING
	case *ast.ParenExpr:
		return f.values(e.X, scope, depth)
	case *ast.BinaryExpr:
		a, ok1 := f.values(e.X, scope, depth)
		b, ok2 := f.values(e.Y, scope, depth)
		return product(a, b), ok1 && ok2 && e.Op == token.ADD && len(a)*len(b) <= most
	case *ast.Ident:
		return f.variable(e, scope, depth)
	case *ast.IndexExpr: // map[…]string{…}[x]
		lit, ok := e.X.(*ast.CompositeLit)
		if !ok {
			return nil, false
		}
		whole = true
		for _, el := range lit.Elts {
			kv, ok := el.(*ast.KeyValueExpr)
			if !ok {
				return nil, false
			}
			got, ok := f.values(kv.Value, scope, depth+1)
			out, whole = append(out, got...), whole && ok
		}
		return out, whole
	case *ast.CallExpr:
		return f.results(e, depth)
	}
	return nil, false
}

// variable returns the texts that a variable or constant may have where it is
// used: what it is given further down does not count.
func (f *folder) variable(use *ast.Ident, scope ast.Node, depth int) (out []string, whole bool) {
	list := slices.DeleteFunc(assigned(scope, use.Name), func(a assignment) bool { return a.end > use.Pos() })
	if len(list) == 0 {
		if e, ok := f.consts[use.Name]; ok {
			return f.values(e, scope, depth+1)
		}
		return nil, false // an argument of the function
	}
	whole = true
	for _, a := range list {
		if a.expr == nil {
			whole = false
			continue
		}
		got, ok := f.values(a.expr, scope, depth+1)
		whole = whole && ok
		if a.adds {
			got = product(out, got)
		}
		if a.block == list[0].block {
			out = nil // done in every case: what it was before is never said
		}
		out = append(out, got...)
		if len(out) > most {
			return out[:most], false
		}
	}
	return out, whole
}

// results returns the texts that a function of the package may return.
func (f *folder) results(call *ast.CallExpr, depth int) (out []string, whole bool) {
	name := ""
	switch of := call.Fun.(type) {
	case *ast.Ident:
		name = of.Name
	case *ast.SelectorExpr:
		if x, ok := of.X.(*ast.Ident); ok && f.packages[x.Name] {
			name = of.Sel.Name
		}
	}
	fn := f.funcs[name]
	if fn == nil || fn.Body == nil {
		return nil, false
	}
	whole = true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			got, ok := f.values(r.Results[0], fn.Body, depth+1)
			out, whole = append(out, got...), whole && ok
		}
		return true
	})
	return out, whole && len(out) <= most
}

func product(a, b []string) []string {
	var out []string
	for _, x := range a {
		for _, y := range b {
			if len(out) < most {
				out = append(out, x+y)
			}
		}
	}
	return out
}
