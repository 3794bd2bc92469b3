package shape

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// OwnTimes returns the time of each node without its children, milliseconds of
// the clock. Below a Gather the loops are those of all processes, which ran side
// by side: their sum is divided by how many there were. The time of a CTE is in
// the scans of it, not in the node that it hangs below.
func OwnTimes(p *queryplan.Plan) (own map[*queryplan.Node]float64, timed map[*queryplan.Node]bool) {
	own, timed = map[*queryplan.Node]float64{}, map[*queryplan.Node]bool{}
	wall := map[*queryplan.Node]float64{}
	ctes := map[string]float64{}
	var measure func(n *queryplan.Node, processes float64)
	measure = func(n *queryplan.Node, processes float64) {
		if n.Actual != nil && n.Actual.Total != nil {
			timed[n] = true
			by := processes
			if n.Actual.Loops < processes {
				by = max(n.Actual.Loops, 1)
			}
			wall[n] = *n.Actual.Total * n.Actual.Loops / by
		}
		if n.Launched != nil {
			processes = float64(*n.Launched) + 1 // the leader works as well
		}
		for _, c := range n.Children {
			measure(c, processes)
		}
		if name, ok := cte(n.Subplan); ok {
			ctes[name] += wall[n]
		}
	}
	measure(p.Root, 1)
	p.Root.Walk(func(n *queryplan.Node) {
		t := wall[n]
		for _, c := range n.Children {
			if _, is := cte(c.Subplan); !is {
				t -= wall[c]
			}
		}
		if name, ok := cteScan(n.Head); ok && ctes[name] > 0 {
			take := min(ctes[name], t)
			t -= take
			ctes[name] -= take
		}
		own[n] = max(t, 0)
		switch {
		case n.Own != nil: // the page worked it out, and had the tree
			own[n], timed[n] = *n.Own, true
		case p.Flat && !p.Rebuilt && len(n.Children) == 0 && timed[n] && leaf(n):
			own[n] = wall[n]
		case p.Flat && !p.Rebuilt, !n.Complete(), n.Missing, unmeasured(n.Children):
			own[n], timed[n] = 0, false // what is below it is not known
		}
	})
	return own, timed
}

// WholeBuffers are the blocks of a plan: those of its root, or if the beginning is missing, the sum of the nodes below
// it, where the counts that stand alone are of less.
func WholeBuffers(p *queryplan.Plan) *queryplan.Buffers {
	top := p.Root.Buffers
	if !p.Root.Missing {
		return top
	}
	var sum queryplan.Buffers
	for _, c := range p.Root.Children {
		if c.Buffers != nil {
			sum.Add(c.Buffers)
		}
	}
	all := func(b *queryplan.Buffers) int64 { return b.Hit + b.Read + b.LocalHit + b.LocalRead }
	if sum == (queryplan.Buffers{}) || top != nil && all(top) >= all(&sum) {
		return top
	}
	return &sum
}

// Processes is how many processes ran each node side by side.
func Processes(p *queryplan.Plan) map[*queryplan.Node]float64 {
	out := map[*queryplan.Node]float64{}
	var walk func(n *queryplan.Node, processes float64)
	walk = func(n *queryplan.Node, processes float64) {
		if out[n] = processes; n.Actual != nil {
			out[n] = max(min(processes, n.Actual.Loops), 1)
		}
		if n.Launched != nil {
			processes = float64(*n.Launched) + 1
		}
		for _, c := range n.Children {
			walk(c, processes)
		}
	}
	walk(p.Root, 1)
	return out
}

// leaves are scans without anything below them, so that their time is known without a tree.
var leaves = []string{"Seq Scan on ", "Index Scan ", "Index Only Scan ", "Bitmap Index Scan ", "Function Scan ",
	"Values Scan ", "Sample Scan ", "Tid Scan "}

// leaf reports whether nothing can be below a node. A subquery in its condition could, which has a label.
func leaf(n *queryplan.Node) bool {
	for _, w := range n.Words {
		if strings.Contains(w.Text, "SubPlan") || strings.Contains(w.Text, "InitPlan") {
			return false
		}
	}
	head := strings.TrimPrefix(n.Head, "Parallel ")
	return slices.ContainsFunc(leaves, func(l string) bool { return strings.HasPrefix(head, l) })
}

// unmeasured reports whether a node is among some that was executed and has no figures, as if its line is truncated.
func unmeasured(list []*queryplan.Node) bool {
	return slices.ContainsFunc(list, func(n *queryplan.Node) bool {
		return !n.Never && (n.Actual == nil || n.Actual.Total == nil)
	})
}

// cte is the name of the CTE that a subplan is of.
func cte(subplan string) (string, bool) {
	name, ok := strings.CutPrefix(subplan, "CTE ")
	return name, ok && name != ""
}

// cteScan is the name of the CTE that a node reads.
func cteScan(head string) (string, bool) {
	rest, ok := strings.CutPrefix(head, "CTE Scan on ")
	name, _, _ := strings.Cut(rest, " ")
	return name, ok && name != ""
}

// Wall is the time of a node in all loops, with what is below it, in parallel parts divided by its processes; false
// if it
// is not known.
func Wall(p *queryplan.Plan, n *queryplan.Node) (float64, bool) {
	if n.Actual == nil || n.Actual.Total == nil {
		return 0, false
	}
	return *n.Actual.Total * n.Actual.Loops / max(Processes(p)[n], 1), true
}
