package slow

import (
	"math"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/shape"
)

// nearly is how far two figures of the same work may be apart: a tenth.
const nearly = 0.1

func alike(a, b float64) bool { return math.Abs(a-b) <= nearly*math.Max(a, b) }

// fastNode is the node of the fast run that reads the same by the same way; nil if there is none, or several.
func (d *Report) fastNode(n *queryplan.Node) *queryplan.Node {
	var out *queryplan.Node
	count := 0
	d.fastRun.Root.Walk(func(f *queryplan.Node) {
		if f.Head == n.Head {
			out = f
			count++
		}
	})
	if count != 1 {
		return nil
	}
	return out
}

// estimatedAlike reports whether the fast run has the same node with the same estimate of the same rows: if it is
// wrong, the difference has another reason.
func (d *Report) estimatedAlike(n *queryplan.Node) bool {
	f := d.fastNode(n)
	return f != nil && f.Cost != nil && n.Cost != nil && f.Actual != nil && n.Actual != nil &&
		alike(f.Cost.Rows, n.Cost.Rows) && alike(f.Actual.Rows, n.Actual.Rows)
}

// renamed reports whether two nodes read one table that a person renamed in one of the plans: what the scan of the slow
// run filters by is what the index of the fast run is searched by, and neither plan has the table of the other.
func (d *Report) renamed(slow, fast *queryplan.Node) bool {
	_, filter := shape.Word(slow, "Filter")
	_, cond := shape.Word(fast, "Index Cond")
	a, b := shape.Relation(slow.Head), shape.Relation(fast.Head)
	return filter != "" && filter == cond && a != "" && b != "" &&
		!shape.Reads(d.fastRun, a) && !shape.Reads(d.slowRun, b)
}

// sameNodeFactor is how many times as long a scan has to take in one run for it to be worth a look: caches alone make
// three of one.
const sameNodeFactor = 3.0

// sameNode reports a scan of both plans that handled the same rows in each loop, and took much longer in the slow run:
// then the other plan is not the whole difference.
func (d *Report) sameNode() {
	if d.SamePlan || d.has("other-query") {
		return
	}
	slow, timed := shape.OwnTimes(d.slowRun)
	fast, timedFast := shape.OwnTimes(d.fastRun)
	var worst, other *queryplan.Node
	most := d.extra() / 10
	d.slowRun.Root.Walk(func(n *queryplan.Node) {
		f := d.fastNode(n)
		if f == nil || !shape.Scans(n.Head) || !timed[n] || !timedFast[f] || n.Actual.Total == nil ||
			f.Actual.Total == nil || !alike(n.Actual.Rows, f.Actual.Rows) || n.Actual.Rows < 1 ||
			*n.Actual.Total < sameNodeFactor**f.Actual.Total {
			return
		}
		if e := slow[n] - fast[f]; e >= most && e > 0 {
			most, worst, other = e, n, f
		}
	})
	if worst == nil {
		return
	}
	e := most
	evidence := []say.Message{say.M("{node} took {slow} instead of {fast} in each loop, for {rows}", "node",
		named(worst.Head), "slow", ms(*worst.Actual.Total), "fast", ms(*other.Actual.Total), "rows",
		rowsOf(worst.Actual.Rows))}
	next := []say.Message{readTwice()}
	switch a, b := worst.Buffers, other.Buffers; {
	case a == nil || b == nil:
		next = append(next, say.M("Run both again with EXPLAIN (ANALYZE, BUFFERS): blocks that were read in one run "+
			"are often found in shared buffers or in the page cache by the next."))
	case a.Read > b.Read:
		evidence = append(evidence, say.M("it read {slow} in the slow run, {fast} in the fast run", "slow",
			blocksOf(float64(a.Read)), "fast", blocksOf(float64(b.Read))))
		next = append(next, timeReads())
	}
	d.add("same-node", Likely, &e, say.M("A scan that both plans have took longer in the slow run"), evidence, next)
}

// alone are findings in one plan that say why it is slow, whatever the other one does.
func alone(id string) bool {
	switch id {
	case "rows-removed", "repeated", "misestimate", "lossy-bitmap", "many-buffers":
		return true
	}
	return false
}

// slowAlone reports what the slow plan shows alone, if it differs from the fast run's.
func (d *Report) slowAlone() {
	if d.SamePlan || d.has("other-query") {
		return
	}
	for _, v := range read([]string{d.Slow.Name}, []*queryplan.Plan{d.slowRun}, d.estimatedAlike).Verdicts {
		if alone(v.ID) && !d.has(v.ID) && !(d.has("other-index") && v.ID != "repeated") {
			d.add(v.ID, v.Certainty, nil, v.Title, v.Evidence, v.Next)
		}
	}
}

// fastAlone reports what makes the faster of two plans slow, if it is hardly faster: the slow one is then no measure.
func (d *Report) fastAlone() {
	if d.has("other-query") {
		return
	}
	slow := Read(d.Slow.Name, d.slowRun)
	for _, v := range Read(d.Fast.Name, d.fastRun).Verdicts {
		if alone(v.ID) && v.ID != "misestimate" || v.ID == "spill" || v.ID == "slowest-node" {
			title := say.M("In the fast run: {finding}", "finding", v.Title)
			if slices.ContainsFunc(slow.Verdicts, func(o Verdict) bool { return o.ID == v.ID }) {
				title = say.M("In both runs (shown for the fast run): {finding}", "finding", v.Title)
			}
			d.add(v.ID, v.Certainty, nil, title, v.Evidence, v.Next)
		}
	}
}

// othersIndex reports an index that another plan of the input used on a table, and that was faster; zero if none did.
func (d *Reading) othersIndex(table string) say.Message {
	var out say.Message
	best := d.total / 2 // what is hardly faster is no example
	for i, p := range d.all {
		t, ok := p.Ran()
		if p == d.run || !ok || !p.Executed() || t >= best || table == "" || !shape.Comparable(p, d.run) {
			continue
		}
		p.Root.Walk(func(n *queryplan.Node) {
			index, of := shape.Index(n.Head), shape.Relation(n.Head)
			if of == "" {
				of = shape.BitmapTable(p.Root, n)
			}
			if index == "" || of != table {
				return
			}
			best = t
			out = say.M("{plan} of the input used the index {index} of {table}, and took {time}", "plan",
				gapwords.Arg(d.Plans[i].Name), "index", index, "table", table, "time", ms(t))
		})
	}
	return out
}
