package shape

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// Comparable reports whether two plans of one input look like two runs of one query: they read the same tables, are not
// known to be of two queries, and both were measured.
func Comparable(a, b *queryplan.Plan) bool {
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	told := a.Query != "" && b.Query != "" && !a.Typed && !b.Typed // what a person types is often not the whole
	if told && squeeze(a.Query) != squeeze(b.Query) {
		return false
	}
	_, oka := a.Total()
	_, okb := b.Total()
	return oka && okb && a.Executed() && b.Executed() && Overlap(Tables(a), Tables(b)) &&
		Overlap(Asked(a), Asked(b)) // other values are of one query, other columns are not
}

// Slower reports whether a plan took longer than another; if none was measured, which one the planner thinks more
// expensive.
func Slower(a, b *queryplan.Plan) bool {
	x, okx := a.Total()
	y, oky := b.Total()
	if okx != oky {
		return okx
	}
	if okx {
		return x > y
	}
	cost := func(p *queryplan.Plan) float64 {
		if p.Root.Cost == nil || p.Root.Cost.NoTotal {
			return 0
		}
		return p.Root.Cost.Total
	}
	return cost(a) > cost(b)
}

// Reads reports whether a plan reads a table.
func Reads(p *queryplan.Plan, table string) bool {
	found := false
	p.Root.Walk(func(n *queryplan.Node) { found = found || Relation(n.Head) == table })
	return found
}

// Word is a condition of a node; "" if it has none of that name.
func Word(n *queryplan.Node, names ...string) (name, text string) {
	for _, w := range n.Words {
		if slices.Contains(names, w.Name) {
			return w.Name, w.Text
		}
	}
	return "", ""
}
