package shape

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// Diff compares the shapes of two trees. The lines are the whole tree, as
// people read EXPLAIN, with the nodes of one plan alone marked. Conditions do not
// count: two runs for different values are runs of one plan.
func Diff(fast, slow *queryplan.Plan) (lines []string, same bool) {
	d := &differ{same: true}
	d.nodes([]*queryplan.Node{fast.Root}, []*queryplan.Node{slow.Root}, 0)
	return d.lines, d.same
}

type differ struct {
	lines []string
	same  bool
	cells int
}

// mostCells bounds the table of an alignment: children of a partitioned table are
// many, and are taken in order beyond it.
const mostCells = 1 << 20

// nodes aligns two lists of siblings by the longest common sequence of names.
func (d *differ) nodes(a, b []*queryplan.Node, depth int) {
	for len(a) > 0 && len(b) > 0 && name(a[0]) == name(b[0]) {
		d.both(a[0], b[0], depth)
		a, b = a[1:], b[1:]
	}
	if len(a) == 0 && len(b) == 0 {
		return
	}
	if d.cells += len(a) * len(b); d.cells > mostCells || len(a) == 0 || len(b) == 0 {
		d.alone(a, b, depth)
		return
	}
	// best[i][j] is the length of the sequence of a[i:] and b[j:].
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if name(a[i]) == name(b[j]) {
				best[i][j] = best[i+1][j+1] + 1
			} else {
				best[i][j] = max(best[i+1][j], best[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case name(a[i]) == name(b[j]):
			d.both(a[i], b[j], depth)
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			d.alone(a[i:i+1], nil, depth)
			i++
		default:
			d.alone(nil, b[j:j+1], depth)
			j++
		}
	}
	d.alone(a[i:], b[j:], depth)
}

func (d *differ) both(a, b *queryplan.Node, depth int) {
	d.line(" ", b, depth)
	d.nodes(a.Children, b.Children, depth+1)
}

func (d *differ) alone(a, b []*queryplan.Node, depth int) {
	for _, side := range []struct {
		mark string
		list []*queryplan.Node
	}{{"-", a}, {"+", b}} {
		for _, n := range side.list {
			d.same = false
			d.tree(side.mark, n, depth)
		}
	}
}

func (d *differ) tree(mark string, n *queryplan.Node, depth int) {
	d.line(mark, n, depth)
	for _, c := range n.Children {
		d.tree(mark, c, depth+1)
	}
}

func (d *differ) line(mark string, n *queryplan.Node, depth int) {
	text := n.Head
	if n.Subplan != "" {
		text = n.Subplan + ": " + text
	}
	d.lines = append(d.lines, mark+" "+strings.Repeat("  ", depth)+text)
}

// name is what two nodes must have in common to be the same.
func name(n *queryplan.Node) string { return n.Subplan + "\x00" + n.Head }
