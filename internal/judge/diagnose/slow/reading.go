package slow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/shape"
)

// ReadingSchema names the version of the document of one plan.
const ReadingSchema = "pgfettle.diagnose.slow-plan/1"

// Reading is what one plan says.
type Reading struct {
	Schema       string        `json:"schema"`
	Verdict      say.Message   `json:"verdict"` // one line
	Plan         Plan          `json:"plan"`
	Plans        []Plan        `json:"plans"` // all plans of the input, in its order; one of them is judged
	Nodes        []ReadNode    `json:"nodes"` // depth first, as EXPLAIN writes them
	Verdicts     []Verdict     `json:"verdicts"`
	Inconsistent []say.Message `json:"inconsistent"` // what cannot be true of one execution
	Missing      []say.Message `json:"missing"`      // what was not measured or is not in the paste
	run          *queryplan.Plan
	list         []*readNode
	total        float64 // milliseconds that shares are of; 0 if no time is known
	weight       map[string]float64
	all          []*queryplan.Plan          // of the input
	known        func(*queryplan.Node) bool // that the estimate of a node is no news; nil: of none
}

// ReadNode is one node with what follows from its figures. Times are milliseconds; what was not measured or cannot be
// determined is omitted.
type ReadNode struct {
	Head      string   `json:"head"`
	Subplan   string   `json:"subplan,omitempty"`
	Depth     int      `json:"depth"`
	Never     bool     `json:"never,omitempty"` // never executed
	Cost      *float64 `json:"cost,omitempty"`
	Estimated *float64 `json:"estimated,omitempty"` // rows of each loop
	Rows      *float64 `json:"rows,omitempty"`      // each loop
	Loops     *float64 `json:"loops,omitempty"`
	PerLoop   *float64 `json:"per_loop,omitempty"` // with its children
	// all loops, with its children; in parallel parts divided by the processes that ran side by side
	Time       *float64             `json:"time,omitempty"`
	Own        *float64             `json:"own,omitempty"`     // without its children
	Share      *float64             `json:"share,omitempty"`   // of the plan's time that is its own, in percent
	Factor     *float64             `json:"factor,omitempty"`  // rows over estimate, or the inverse if below one
	Removed    int64                `json:"removed,omitempty"` // by filters, each loop
	RemovedAll float64              `json:"removed_all,omitempty"`
	Rechecked  int64                `json:"rechecked,omitempty"` // removed by rechecks, each loop
	Fetches    *int64               `json:"heap_fetches,omitempty"`
	Searches   *int64               `json:"searches,omitempty"`
	Exact      int64                `json:"exact,omitempty"`
	Lossy      int64                `json:"lossy,omitempty"`
	Planned    *int64               `json:"planned,omitempty"`
	Launched   *int64               `json:"launched,omitempty"`
	Sort       *queryplan.Sort      `json:"sort,omitempty"`
	Hash       *queryplan.Hash      `json:"hash,omitempty"`
	Memoize    *queryplan.Memoize   `json:"memoize,omitempty"`
	Buffers    *queryplan.Buffers   `json:"buffers,omitempty"`
	IO         *queryplan.IO        `json:"io,omitempty"`
	WAL        *queryplan.WAL       `json:"wal,omitempty"`
	Words      []queryplan.Property `json:"words,omitempty"` // conditions and keys
}

// readNode is a node with its place in the tree.
type readNode struct {
	*queryplan.Node
	at        int // in Reading.Nodes
	parent    *readNode
	processes float64 // that ran it side by side
	planned   int64   // workers of the nearest Gather above it
	stops     bool    // what is above it may end it before its last row
	own       float64
	wall      float64
	timed     bool // own is known
	pruned    bool // partitions below it were removed before the first row
	walled    bool
}

// Read judges one plan.
func Read(name string, p *queryplan.Plan) *Reading {
	return ReadAll([]string{name}, []*queryplan.Plan{p})
}

// ReadAll judges the plan that took longest; the others are listed.
func ReadAll(names []string, plans []*queryplan.Plan) *Reading { return read(names, plans, nil) }

func read(names []string, plans []*queryplan.Plan, known func(*queryplan.Node) bool) *Reading {
	worst := 0
	for i, p := range plans {
		if shape.Slower(p, plans[worst]) {
			worst = i
		}
	}
	d := &Reading{Schema: ReadingSchema, run: plans[worst], Plan: slowPlan(names[worst], plans[worst]),
		Plans: []Plan{}, Nodes: []ReadNode{}, Verdicts: []Verdict{}, Inconsistent: []say.Message{},
		Missing: []say.Message{},
		weight:  map[string]float64{}, all: plans, known: known}
	for i, p := range plans {
		d.Plans = append(d.Plans, slowPlan(names[i], p))
	}
	d.nodes()
	d.judge()
	return d
}

// nodes fills Nodes.
func (d *Reading) nodes() {
	own, timed := shape.OwnTimes(d.run)
	prunes := shape.Pruned(d.run.Root)
	before := false // a node above may stop those below it; in a paste without tree, one before it
	var walk func(n *queryplan.Node, parent *readNode, depth int)
	walk = func(n *queryplan.Node, parent *readNode, depth int) {
		r := &readNode{Node: n, at: len(d.list), parent: parent, processes: 1, own: own[n], timed: timed[n],
			pruned: prunes && shape.Pruned(n)}
		if parent != nil {
			r.processes, r.planned = parent.processes, parent.planned
			r.stops = parent.stops && !shape.ReadsAll(parent.Head) || shape.StopsBelow(parent.Head) ||
				n.Subplan != "" && !strings.HasPrefix(n.Subplan, "CTE ")
			if parent.Launched != nil {
				r.processes = float64(*parent.Launched) + 1
			}
			if parent.Planned != nil {
				r.planned = *parent.Planned
			}
		}
		if d.run.Flat && !d.run.Rebuilt {
			r.stops = r.stops || before
			before = before || shape.StopsBelow(n.Head)
		}
		if n.Actual != nil && n.Actual.Total != nil {
			r.walled = true
			r.wall = *n.Actual.Total * n.Actual.Loops / min(r.processes, max(n.Actual.Loops, 1))
		}
		d.list = append(d.list, r)
		d.Nodes = append(d.Nodes, r.document(depth))
		for _, c := range n.Children {
			walk(c, r, depth+1)
		}
	}
	walk(d.run.Root, nil, 0)
	if t, ok := d.run.Ran(); ok {
		d.total = t
	} else {
		for _, r := range d.list {
			d.total = max(d.total, r.wall)
		}
		if d.run.Root.Missing { // what stands below it shares its time
			t := 0.0
			for _, r := range d.list {
				if r.parent != nil && r.parent.Node == d.run.Root {
					t += r.wall
				}
			}
			d.total = max(d.total, t)
		}
	}
	for _, r := range d.list {
		if n := &d.Nodes[r.at]; r.timed && d.total > 0 && r.own <= 1.05*d.total {
			s := math.Round(1000*r.own/d.total) / 10
			n.Share = &s
		}
	}
}

// document is the node as it is reported.
func (r *readNode) document(depth int) ReadNode {
	n := ReadNode{Head: r.Head, Subplan: r.Subplan, Depth: depth, Never: r.Never, Removed: r.Removed,
		Rechecked: r.Recheck, Fetches: r.Node.Fetches, Searches: r.Node.Searches, Exact: r.Exact, Lossy: r.Lossy,
		Planned: r.Node.Planned, Launched: r.Launched, Sort: r.Sort, Hash: r.Hash, Memoize: r.Memoize,
		Buffers: r.Buffers, IO: r.IO, WAL: r.WAL, Words: r.Words, RemovedAll: r.removed()}
	if c := r.Cost; c != nil {
		n.Estimated = &c.Rows
		if !c.NoTotal {
			n.Cost = &c.Total
		}
	}
	if a := r.Actual; a != nil {
		n.Rows, n.Loops, n.PerLoop = &a.Rows, &a.Loops, a.Total
		if a.NoRows {
			n.Rows = nil
		}
		if f, ok := r.misjudged(); ok {
			n.Factor = &f
		}
	}
	if r.walled {
		t := slowRound(r.wall)
		n.Time = &t
	}
	if r.timed {
		t := slowRound(r.own)
		n.Own = &t
	}
	return n
}

// removed is how many rows filters threw away in all loops.
func (r *readNode) removed() float64 {
	if r.Actual == nil {
		return float64(r.Removed)
	}
	return float64(r.Removed) * r.Actual.Loops
}

// misjudged is how many times as many rows came as were estimated, or were estimated as
// came, whichever is more than one. Below a Gather the estimate is that of each process.
func (r *readNode) misjudged() (float64, bool) {
	if r.Actual == nil || r.Actual.NoRows || r.Cost == nil || shape.Modifies(r.Head) || shape.Uncounted(r.Head) {
		return 0, false
	}
	if r.byBlocks() {
		return 0, false
	}
	if r.pruned && r.Cost.Rows > r.Actual.Rows { // partitions that were removed are in the estimate
		return 0, false
	}
	want, have := r.Cost.Rows, r.Actual.Rows
	if r.planned > 0 { // the planner counts the leader for the time it has left besides the workers
		want *= float64(r.planned) + max(0, 1-0.3*float64(r.planned))
		have *= min(r.processes, max(r.Actual.Loops, 1))
	}
	want, have = max(want, 1), max(have, 1)
	return math.Round(10*max(have/want, want/have)) / 10, true
}

// byBlocks reports whether a scan of an index has found blocks and no rows, as that of BRIN does: it then counts ten
// rows for each.
func (r *readNode) byBlocks() bool {
	h := r.heap()
	return h != nil && h.Exact == 0 && h.Lossy > 0 && math.Mod(r.Actual.Rows, 10) == 0
}

// heap is the scan of the table that a scan of an index makes a bitmap for; nil if it makes none.
func (r *readNode) heap() *readNode {
	if !strings.HasPrefix(r.Head, "Bitmap Index Scan") {
		return nil
	}
	for p := r.parent; p != nil; p = p.parent {
		if strings.Contains(p.Head, "Bitmap Heap Scan") {
			return p
		}
	}
	return nil
}

// assumedGroups is how many groups the planner assumes if it knows nothing of the values.
const assumedGroups = 200

// unknownGroups reports whether a node's estimate is that assumption, and it returned fewer rows: no statistics would
// change the plan for the better.
func (r *readNode) unknownGroups() bool {
	return r.Cost != nil && r.Cost.Rows == assumedGroups && strings.Contains(r.Head, "Aggregate") &&
		r.Actual != nil && r.Actual.Rows < assumedGroups
}

// add puts a verdict in, with its weight: the share of the time, in percent, that it costs as far as known.
func (d *Reading) add(id, certainty string, weight float64, explains *float64, title say.Message,
	evidence, next []say.Message) {
	if explains != nil {
		v := slowRound(max(*explains, 0))
		explains = &v
	}
	d.Verdicts = append(d.Verdicts, Verdict{ID: id, Certainty: certainty, Explains: explains, Title: title,
		Evidence: append([]say.Message{}, evidence...), Next: append([]say.Message{}, next...)})
	d.weight[id] = weight
}

// share is a time in percent of the plan's.
func (d *Reading) share(t float64) float64 {
	if d.total <= 0 {
		return 0
	}
	return min(100*t/d.total, 100)
}

func (d *Reading) judge() {
	d.notMeasured()
	d.inconsistent()
	for _, f := range []func(){d.removedRows, d.repeated, d.estimates, d.spills, d.lossy, d.fetches, d.jit, d.workers,
		d.reads, d.manyBuffers, d.triggers, d.planning, d.outside, d.client, d.writes, d.memoize, d.lockWaits,
		d.serialize, d.calls, d.slowest} {
		f()
	}
	slices.SortStableFunc(d.Verdicts, func(a, b Verdict) int { return cmp.Compare(d.weight[b.ID], d.weight[a.ID]) })
	d.headline()
}

// notMeasured says what the run did not measure, and what the paste does not hold.
func (d *Reading) notMeasured() {
	p := d.run
	d.Missing = append(d.Missing, planGaps(d.Plan.Name, p)...)
	miss := func(text say.Message) { d.Missing = append(d.Missing, text) }
	if p.Product != "" {
		miss(say.M("the plan is of {product}, a fork of PostgreSQL: its own features are not judged", "product",
			p.Product))
	}
	if p.Fragment {
		miss(say.M("the beginning of the plan is missing: percentages are of the part that is present"))
	}
	if p.Cut != "" {
		miss(cutOff(d.Plan))
	} else if d.incomplete() {
		miss(say.M("the plan is cut off: the own time of nodes whose children are missing is unknown"))
	}
	if u := p.Unknown; u != nil {
		miss(say.N(int64(u.Lines), "{n} line was not understood: {line}", "{n} lines were not understood, the first: "+
			"{line}", "line", Cut(u.First)))
	}
	if n := len(d.Plans); n > 1 {
		if d.Plan.Total == nil {
			miss(say.N(n, "{n} plan in the input; it has the highest cost",
				"{n} plans in the input; this one has the highest cost"))
		} else {
			miss(say.N(n, "{n} plan in the input; it took longest", "{n} plans in the input; this one took longest"))
		}
	}
}

// cutOff says where a plan ends too early.
func cutOff(p Plan) say.Message {
	return say.M("{plan} is cut off at: {text}", "plan", gapwords.Arg(p.Name), "text", Cut(p.Cut))
}

// incomplete reports whether a node lacks what must be below it.
func (d *Reading) incomplete() bool {
	return (!d.run.Flat || d.run.Rebuilt) && slices.ContainsFunc(d.list,
		func(r *readNode) bool { return !r.Complete() })
}

// planGaps says what a run did not measure.
func planGaps(of string, p *queryplan.Plan) (out []say.Message) {
	name := gapwords.Arg(of)
	if tables, as := shape.OneC(p); tables && !as {
		out = append(out, say.M("{plan} reads tables of 1C:Enterprise, and no SETTINGS shows what 1C sets for its "+
			"sessions: before EXPLAIN, run SET enable_mergejoin = off; SET cpu_operator_cost = 0.001;", "plan", name))
	}
	timed, ran, io := false, false, false
	p.Root.Walk(func(n *queryplan.Node) {
		ran = ran || n.Actual != nil
		timed = timed || n.Actual != nil && n.Actual.Total != nil
		io = io || n.IO != nil
	})
	switch {
	case !p.Executed() && p.Execution != nil && p.Logged:
		return append(out, say.M("{plan} has estimates and the total duration only: auto_explain.log_analyze = on "+
			"logs what each node did", "plan", name))
	case !p.Executed() && p.Execution != nil:
		return append(out, say.M("{plan} has the total time, but not what each node did: its lines were shortened",
			"plan", name))
	case !p.Executed() && !estimated(p):
		return append(out, say.M("{plan} shows neither what was estimated nor what was measured: run it with EXPLAIN "+
			"(ANALYZE, BUFFERS)", "plan", name))
	case !p.Executed():
		return append(out, say.M("{plan} was not executed and has estimates only: run it with EXPLAIN (ANALYZE, "+
			"BUFFERS)", "plan", name))
	case !timed && ran:
		out = append(out, say.M("{plan} has no times of its nodes (TIMING OFF, or they were omitted): run it with "+
			"EXPLAIN (ANALYZE, BUFFERS) to see where the time goes", "plan", name))
	}
	if !p.Buffers {
		out = append(out, say.M("{plan} has no buffer counts, so hits and reads are unknown: run it with EXPLAIN "+
			"(ANALYZE, BUFFERS)", "plan", name))
	} else if b := p.Root.Buffers; b != nil && b.Read+b.TempRead > 0 && !io {
		out = append(out, say.M("{plan} has no time of its reads: SET track_io_timing = on; before it", "plan", name))
	}
	switch {
	case p.Flat && p.Rebuilt:
		out = append(out, say.M("{plan} has lost its indentation: the tree was rebuilt from the number of inputs of "+
			"each node", "plan", name))
	case p.Flat:
		out = append(out, say.M("{plan} has lost its indentation: the tree and the own time of each node are unknown",
			"plan", name))
	}
	return out
}

// estimated reports whether a plan has estimates: those made with COSTS OFF, or shortened by a person, have none.
func estimated(p *queryplan.Plan) bool {
	any := false
	p.Root.Walk(func(n *queryplan.Node) { any = any || n.Cost != nil })
	return any
}

// inconsistent looks for figures that one execution cannot have. Processes that ran side by side, and nodes whose time
// EXPLAIN writes elsewhere, are skipped.
func (d *Reading) inconsistent() {
	whole, known := d.run.Ran()
	for _, r := range d.list {
		if !r.walled || len(d.Inconsistent) >= 5 {
			continue
		}
		slack := 0.02*r.wall + 0.001*r.Actual.Loops + 0.01 // EXPLAIN writes microseconds, and so each loop is rounded
		if known && r.processes == 1 && r.wall-slack > whole {
			d.Inconsistent = append(d.Inconsistent, say.M("{node} took {time} (loops × time: {loops} × {each}), but "+
				"the whole plan {whole}",
				"node", named(r.Head), "time", ms(r.wall), "loops", say.Number(fmt.Sprintf("%.0f",
					r.Actual.Loops)),
				"each", ms(*r.Actual.Total), "whole", ms(whole)))
			continue
		}
		p := r.parent
		if p == nil || !p.walled || r.Subplan != "" || r.processes > 1 || d.run.Flat && !d.run.Rebuilt ||
			shape.Gathers(r.Head) { // the end of its workers is in its time, and not in its parent's
			continue
		}
		if r.wall-slack-0.001*p.Actual.Loops > p.wall {
			d.Inconsistent = append(d.Inconsistent, say.M("{node} took {time}, but its parent {parent}, which "+
				"includes it, only {parent_time}",
				"node", named(r.Head), "time", ms(r.wall), "parent", named(p.Head), "parent_time",
				ms(p.wall)))
		}
	}
}

// headline says the verdict in one line.
func (d *Reading) headline() {
	var text []say.Message
	total, ok := d.run.Ran()
	switch name := gapwords.Arg(d.Plan.Name); {
	case ok && d.run.Planning != nil:
		text = append(text, say.M("{plan} took {time}, and planning took {planning}.", "plan", name, "time", ms(total),
			"planning", ms(*d.run.Planning)))
	case ok:
		text = append(text, say.M("{plan} took {time}.", "plan", name, "time", ms(total)))
	case !d.run.Executed() && !estimated(d.run):
		text = append(text, say.M("{plan} has no figures.", "plan", name))
	case !d.run.Executed():
		text = append(text, say.M("{plan} was not executed: it has estimates only.", "plan", name))
	case d.run.Fragment:
		text = append(text, say.M("{plan} is a part of a plan.", "plan", name))
	default:
		text = append(text, say.M("{plan} has no times.", "plan", name))
	}
	if len(d.Inconsistent) > 0 {
		text = append(text, say.M("Its numbers contradict each other: they are not of one execution."))
	}
	if r := d.top(); r != nil && d.share(r.own) >= 50 && len(d.Inconsistent) == 0 && !d.compiles(r) {
		text = append(text, say.M("{percent} of this time is in {node}.", "percent", percent(d.share(r.own)), "node",
			named(r.Head)))
	}
	if len(d.Verdicts) > 0 && d.Verdicts[0].ID != "slowest-node" {
		text = append(text, say.M("{finding}.", "finding", d.Verdicts[0].Title))
	}
	d.Verdict = say.All(" ", text...)
}

// top is the node with the most own time; nil if none is known.
func (d *Reading) top() *readNode {
	var out *readNode
	for _, r := range d.list {
		if r.timed && (out == nil || r.own > out.own) {
			out = r
		}
	}
	return out
}
