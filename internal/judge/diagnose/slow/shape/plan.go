package shape

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// Pruned reports whether partitions were removed at or below a node before the first row: its estimate counts them.
func Pruned(n *queryplan.Node) bool {
	return n.Pruned > 0 || slices.ContainsFunc(n.Children, Pruned)
}

// RootTime is the time of the nodes. That of a Gather right below the root is longer where it waited for the end of
// its workers.
func RootTime(root *queryplan.Node) float64 {
	t := *root.Actual.Total * max(root.Actual.Loops, 1)
	for n := root; len(n.Children) == 1; n = n.Children[0] {
		if a := n.Children[0].Actual; a != nil && a.Total != nil && a.Loops == 1 && Gathers(n.Children[0].Head) {
			t = max(t, *a.Total)
		}
	}
	return t
}

// Tables names what a plan reads.
func Tables(p *queryplan.Plan) map[string]bool {
	out := map[string]bool{}
	p.Root.Walk(func(n *queryplan.Node) {
		kind, rest, ok := strings.Cut(n.Head, " on ")
		if ok && !strings.HasSuffix(kind, "Bitmap Index Scan") {
			table, _, _ := strings.Cut(rest, " ")
			out[table] = true
		}
	})
	return out
}

// Overlap reports whether two plans have a table in common, or one has none.
func Overlap(a, b map[string]bool) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	for t := range a {
		if b[t] {
			return true
		}
	}
	return false
}

// Work is the number of rows that the nodes made or threw away.
func Work(p *queryplan.Plan) float64 {
	sum := 0.0
	p.Root.Walk(func(n *queryplan.Node) {
		if n.Actual != nil {
			sum += (n.Actual.Rows + float64(n.Removed+n.Recheck)) * n.Actual.Loops
		}
	})
	return sum
}

// Generic reports whether a plan has parameters that a custom plan would have as values.
func Generic(p *queryplan.Plan) bool {
	generic, inner := false, false
	p.Root.Walk(func(n *queryplan.Node) {
		inner = inner || n.Subplan != ""
		for _, w := range n.Words {
			generic = generic || strings.Contains(w.Text, "$1")
		}
	})
	return generic && !inner // the parameter of a subplan looks the same
}

// Indexes are those that a plan used, by name.
func Indexes(p *queryplan.Plan) []string {
	out := []string{}
	p.Root.Walk(func(n *queryplan.Node) {
		name := Index(n.Head)
		if name != "" && !slices.Contains(out, name) && len(out) < 1000 {
			out = append(out, name)
		}
	})
	slices.Sort(out)
	return out
}

// MemoryOf is what a sort or hash took, in kB: of memory, or of disk if it spilled.
func MemoryOf(n *queryplan.Node) (kb int64, disk bool) {
	switch {
	case n.Sort != nil:
		return n.Sort.KB, n.Sort.Disk
	case n.Hash != nil && n.Hash.DiskKB > 0:
		return n.Hash.DiskKB, true
	case n.Hash != nil && n.Hash.Batches > 1:
		return n.Hash.MemoryKB * min(n.Hash.Batches, 1<<20), true
	case n.Hash != nil:
		return n.Hash.MemoryKB, false
	}
	return 0, false
}

// Alike is how many nodes of a plan read as a head says, by workers or not.
func Alike(p *queryplan.Plan, head string) int {
	n := 0
	p.Root.Walk(func(o *queryplan.Node) {
		if strings.TrimPrefix(o.Head, "Parallel ") == strings.TrimPrefix(head, "Parallel ") {
			n++
		}
	})
	return n
}

// Parent is the node that another stands directly below; nil for the root.
func Parent(root, n *queryplan.Node) (out *queryplan.Node) {
	root.Walk(func(p *queryplan.Node) {
		if slices.Contains(p.Children, n) {
			out = p
		}
	})
	return out
}

// Kind is what a node does, whether in parallel or not.
func Kind(head string) string { return strings.TrimPrefix(head, "Parallel ") }

// SubplanTime is the time of the subplan that a node is in, whose rows another part of the plan uses whole; false if it
// is in none, or its time is not known.
func SubplanTime(p *queryplan.Plan, n *queryplan.Node) (float64, bool) {
	var in *queryplan.Node
	p.Root.Walk(func(s *queryplan.Node) {
		if s.Subplan == "" || strings.HasPrefix(s.Subplan, "CTE ") {
			return
		}
		s.Walk(func(x *queryplan.Node) {
			if x == n && in == nil {
				in = s
			}
		})
	})
	if in == nil || in.Actual == nil || in.Actual.Total == nil {
		return 0, false
	}
	return *in.Actual.Total * in.Actual.Loops, true
}

// IOTime is the time of reads of a run; false if it was not measured.
func IOTime(p *queryplan.Plan) (float64, bool) {
	if io := p.Root.IO; io != nil {
		return io.Read + io.LocalRead, true
	}
	any := false
	p.Root.Walk(func(n *queryplan.Node) { any = any || n.IO != nil })
	return 0, any
}

// Sorted are the names in a set.
func Sorted(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
