package shape

import (
	"fmt"
	"slices"

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
		if name, ok := slowCTE(n.Subplan); ok {
			ctes[name] += wall[n]
		}
	}
	measure(p.Root, 1)
	p.Root.Walk(func(n *queryplan.Node) {
		t := wall[n]
		for _, c := range n.Children {
			if _, cte := slowCTE(c.Subplan); !cte {
				t -= wall[c]
			}
		}
		if name, ok := slowCTEScan(n.Head); ok && ctes[name] > 0 {
			take := min(ctes[name], t)
			t -= take
			ctes[name] -= take
		}
		own[n] = max(t, 0)
		switch {
		case n.Own != nil: // the page worked it out, and had the tree
			own[n], timed[n] = *n.Own, true
		case p.Flat && !p.Rebuilt, !n.Complete(), n.Missing, unmeasured(n.Children):
			own[n], timed[n] = 0, false // what is below it is not known
		}
	})
	return own, timed
}

// unmeasured reports whether a node is among some that was executed and has no figures, as if its line is truncated.
func unmeasured(list []*queryplan.Node) bool {
	return slices.ContainsFunc(list, func(n *queryplan.Node) bool { return n.Actual == nil && !n.Never })
}

func slowCTE(subplan string) (string, bool) {
	const mark = "CTE "
	if len(subplan) > len(mark) && subplan[:len(mark)] == mark {
		return subplan[len(mark):], true
	}
	return "", false
}

func slowCTEScan(head string) (string, bool) {
	var name string
	if n, _ := fmt.Sscanf(head, "CTE Scan on %s", &name); n == 1 {
		return name, true
	}
	return "", false
}
