package slow

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/shape"
)

// replaced is the scan of the slow run in whose place the fast run used an index; nil if it is not clear that there is
// one. Of several scans of a table it is the one with the same alias, or the one whose filter is what the index is
// searched by. A scan that the fast run has too was not replaced.
func (d *Report) replaced(fast *queryplan.Node, table string) *queryplan.Node {
	const kept, sameTarget, sameCondition = -4, 2, 3
	target := shape.Target(d.fastRun.Root, fast)
	_, cond := shape.Word(fast, "Index Cond")
	var out *queryplan.Node
	most := 0
	d.slowRun.Root.Walk(func(s *queryplan.Node) {
		if table == "" || shape.Relation(s.Head) != table && !d.renamed(s, fast) {
			return
		}
		points := 1
		if n := shape.Alike(d.slowRun, s.Head); shape.Index(s.Head) == "" && shape.Alike(d.fastRun, s.Head) >= n {
			points += kept
		}
		if shape.Target(d.slowRun.Root, s) == target {
			points += sameTarget
		}
		if _, filter := shape.Word(s, "Filter", "Index Cond", "Recheck Cond"); cond != "" &&
			strings.Contains(filter, cond) {
			points += sameCondition
		}
		if points > most {
			most, out = points, s
		}
	})
	return out
}

// scanSaved is how much less time a scan took in the fast run, where an index replaced it below the same kind of node:
// what is above it did the same work. It is false if that is another one, or a time is not known.
func (d *Report) scanSaved(slow, fast *queryplan.Node) (float64, bool) {
	above := shape.Parent(d.slowRun.Root, slow)
	scan := fast
	for p := shape.Parent(d.fastRun.Root, scan); p != nil && shape.Relation(p.Head) != ""; {
		scan = p // the scan of the table, of which this is the bitmap
		p = shape.Parent(d.fastRun.Root, scan)
	}
	beyond := shape.Parent(d.fastRun.Root, scan)
	if above == nil || beyond == nil || shape.Kind(above.Head) != shape.Kind(beyond.Head) ||
		strings.HasPrefix(shape.Kind(above.Head), "Nested Loop") {
		return 0, false
	}
	a, ok := shape.Wall(d.slowRun, slow)
	b, ok2 := shape.Wall(d.fastRun, scan)
	return max(a-b, 0), ok && ok2
}

// parallelOnly says which scans of the slow run ran in one process, and in the fast run in several.
func (d *Report) parallelOnly() []say.Message {
	const most = 3
	var out []say.Message
	for _, f := range Read("", d.fastRun).list {
		head, ok := strings.CutPrefix(f.Head, "Parallel ")
		if !ok || !shape.Scans(head) || f.processes < 2 || !f.walled || len(out) >= most {
			continue
		}
		for _, s := range Read("", d.slowRun).list {
			if s.Head == head && s.processes == 1 && s.walled {
				out = append(out, say.N(whole(f.processes), "{node} took {slow} in one process; in the fast run, "+
					"{fast} in {n} process", "{node} took {slow} in one process; in the fast run, {fast} in {n} "+
					"processes side by side", "node", named(head), "slow", ms(s.wall), "fast", ms(f.wall)))
				break
			}
		}
	}
	return out
}

func compareParallel() say.Message {
	return say.M("Compare SHOW max_parallel_workers_per_gather; and the major version of both servers. A function " +
		"that is not PARALLEL SAFE, and a cursor, prevent workers too.")
}
