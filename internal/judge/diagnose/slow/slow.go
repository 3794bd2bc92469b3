// Package slow makes the documents of "diagnose slow" for plans: one plan read (reading.go,
// findings.go), or two plans of one query compared node by node (judge.go).
package slow

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/shape"
)

// Schema names the version of the document of two compared plans.
const Schema = "pgfettle.diagnose.slow/1"

// Plan is one of the two runs, as a person named it.
type Plan struct {
	Name      string               `json:"name"`                // file
	Total     *float64             `json:"total,omitempty"`     // milliseconds of planning and execution
	Planning  *float64             `json:"planning,omitempty"`  //
	Execution *float64             `json:"execution,omitempty"` //
	Client    *float64             `json:"client,omitempty"`    // as psql's \timing saw it
	Hit       *int64               `json:"hit,omitempty"`       // blocks; omitted if the run did not count them
	Read      *int64               `json:"read,omitempty"`
	Dirtied   *int64               `json:"dirtied,omitempty"`
	Written   *int64               `json:"written,omitempty"`
	Temp      *int64               `json:"temp,omitempty"` // blocks of temporary files, read and written
	IORead    *float64             `json:"io_read,omitempty"`
	Format    string               `json:"format"`
	Query     string               `json:"query,omitempty"` // as auto_explain wrote it, truncated if long
	Executed  bool                 `json:"executed"`
	Fragment  bool                 `json:"fragment,omitempty"`  // its beginning is missing
	Flat      bool                 `json:"flat,omitempty"`      // its indentation is lost
	Cut       string               `json:"cut,omitempty"`       // the line at which it is cut off
	Indexes   []string             `json:"indexes"`             // that it used
	MemoryKB  *int64               `json:"memory_kb,omitempty"` // the most that one sort or hash took and did not spill
	DiskKB    *int64               `json:"disk_kb,omitempty"`   // the most that one sort or hash wrote to disk
	Settings  []queryplan.Property `json:"settings,omitempty"`  // SETTINGS
	JIT       *queryplan.JIT       `json:"jit,omitempty"`
	Triggers  []queryplan.Trigger  `json:"triggers,omitempty"`
}

// Node is one node in both runs. Times are milliseconds.
type Node struct {
	Head      string   `json:"head"`
	Depth     int      `json:"depth"`
	Loops     float64  `json:"loops"` // of the slow run
	FastLoops float64  `json:"fast_loops"`
	FastLoop  *float64 `json:"fast_per_loop,omitempty"`
	SlowLoop  *float64 `json:"slow_per_loop,omitempty"`
	FastOwn   *float64 `json:"fast_own,omitempty"` // without its children, all loops; an estimate in parallel parts
	SlowOwn   *float64 `json:"slow_own,omitempty"`
	Factor    *float64 `json:"factor,omitempty"` // slow over fast, of its own time
	AtLeast   bool     `json:"at_least,omitempty"`
	FastRows  *float64 `json:"fast_rows,omitempty"` // each loop
	SlowRows  *float64 `json:"slow_rows,omitempty"`
	Share     float64  `json:"share"` // of the time that the slow run took more, in percent
}

// Verdict is one reason for the difference, or one thing that was ruled out.
type Verdict struct {
	ID        string        `json:"id"`
	Certainty string        `json:"certainty"`          // sure, likely or possible
	Explains  *float64      `json:"explains,omitempty"` // milliseconds of the difference; nil: unknown
	Title     say.Message   `json:"title"`              // without a full stop
	Evidence  []say.Message `json:"evidence"`
	Next      []say.Message `json:"next"`
}

// Report is what two runs of one query say.
type Report struct {
	Schema   string      `json:"schema"`
	Slow     Plan        `json:"slow"`
	Fast     Plan        `json:"fast"`
	Factor   *float64    `json:"factor,omitempty"` // slow over fast
	Verdict  say.Message `json:"verdict"`          // one line
	SamePlan bool        `json:"same_plan"`
	Buffers  string      `json:"buffers"` // same-hits, reads, more, fewer, same, or unknown
	// uniform, concentrated, or unknown: how the slowness is distributed over the nodes that took time
	Spread string `json:"spread"`
	// of the plans; each line begins with a blank, - (fast only) or + (slow only)
	Diff             []string      `json:"diff"`
	Nodes            []Node        `json:"nodes"` // of the slow plan's tree if both are alike
	Verdicts         []Verdict     `json:"verdicts"`
	RuledOut         []say.Message `json:"ruled_out"`
	Missing          []say.Message `json:"missing"` // what was not measured, and what would measure it
	slowRun, fastRun *queryplan.Plan
	took             [2]*float64 // milliseconds of the slow and of the fast run that are compared
}

// slowNoticeable is the least factor that is a difference: below it two runs of one
// query on one idle machine differ as well.
const slowNoticeable = 1.3

// Compare judges two runs. Which one is slow is decided by their times, not by their order; if a time is missing the
// first is taken for it.
func Compare(nameA string, a *queryplan.Plan, nameB string, b *queryplan.Plan) *Report {
	times := likeTimes(a, b)
	if times[0] != nil && times[1] != nil && *times[1] > *times[0] {
		nameA, a, nameB, b = nameB, b, nameA, a
		times[0], times[1] = times[1], times[0]
	}
	d := &Report{Schema: Schema, slowRun: a, fastRun: b, Slow: slowPlan(nameA, a), Fast: slowPlan(nameB, b)}
	d.Diff, d.SamePlan = shape.Diff(b, a)
	d.Buffers, d.Spread = "unknown", "unknown"
	d.took = times
	if x, y := d.took[0], d.took[1]; x != nil && y != nil && *y > 0 {
		f := *x / *y
		d.Factor = &f
	}
	if d.SamePlan {
		d.nodes()
	}
	d.judge()
	return d
}

// likeTimes are the times of two runs of the same kind, the longest that both have: the client's, the server's with
// planning, that of the execution, that of the nodes. Of a cut plan only the last is known.
func likeTimes(a, b *queryplan.Plan) [2]*float64 {
	var out [2]*float64
	for i, p := range []*queryplan.Plan{a, b} {
		t, ok := p.Total()
		switch {
		case a.Client != nil && b.Client != nil:
			t, ok = *p.Client, true
		case (a.Execution == nil) != (b.Execution == nil) && timedRoot(a) && timedRoot(b):
			t = shape.RootTime(p.Root)
		case (a.Planning == nil) != (b.Planning == nil):
			t, ok = p.Ran()
		}
		if ok {
			out[i] = &t
		}
	}
	return out
}

// timedRoot says whether the nodes of a plan have a time.
func timedRoot(p *queryplan.Plan) bool {
	return !p.Fragment && p.Root.Actual != nil && p.Root.Actual.Total != nil
}

func slowPlan(name string, p *queryplan.Plan) Plan {
	s := Plan{Name: name, Planning: p.Planning, Client: p.Client, Format: p.Format, Executed: p.Executed(),
		Fragment: p.Fragment, Flat: p.Flat, Cut: p.Cut, Settings: p.Settings, JIT: p.JIT, Triggers: p.Triggers,
		Indexes: shape.Indexes(p)}
	const most = 2000 // bytes of a query
	if s.Query = p.Query; len(s.Query) > most {
		s.Query = strings.ToValidUTF8(s.Query[:most], "") + "…"
	}
	p.Root.Walk(func(n *queryplan.Node) {
		kb, disk := shape.MemoryOf(n)
		to := &s.MemoryKB
		if disk {
			to = &s.DiskKB
		}
		if kb > 0 && (*to == nil || kb > **to) {
			*to = &kb
		}
	})
	if t, ok := shape.IOTime(p); ok && t > 0 {
		s.IORead = &t
	}
	if t, ok := p.Total(); ok {
		s.Total = &t
	}
	if t, ok := p.Ran(); ok {
		s.Execution = &t
	}
	if b := shape.WholeBuffers(p); p.Buffers && b != nil {
		hit, read, temp := b.Hit+b.LocalHit, b.Read+b.LocalRead, b.TempRead+b.TempWritten
		dirtied, written := b.Dirtied+b.LocalDirtied, b.Written+b.LocalWritten
		s.Hit, s.Read, s.Temp, s.Dirtied, s.Written = &hit, &read, &temp, &dirtied, &written
	}
	return s
}

// slowPair is one node in both trees.
type slowPair struct {
	slow, fast       *queryplan.Node
	slowOwn, fastOwn float64
	timed            bool
	at               int // in Slow.Nodes
}

// nodes fills Slow.Nodes of two trees of one shape.
func (d *Report) nodes() {
	pairs := d.pairs()
	extra := 0.0
	for _, p := range pairs {
		if p.timed && p.slowOwn > p.fastOwn {
			extra += p.slowOwn - p.fastOwn
		}
	}
	for i := range pairs {
		p := &pairs[i]
		n := &d.Nodes[p.at]
		if s, f := p.slow.Actual, p.fast.Actual; s != nil && f != nil {
			n.Loops, n.FastLoops, n.SlowRows, n.FastRows = s.Loops, f.Loops, &s.Rows, &f.Rows
			n.SlowLoop, n.FastLoop = s.Total, f.Total
		}
		if !p.timed {
			continue
		}
		so, fo := slowRound(p.slowOwn), slowRound(p.fastOwn)
		n.SlowOwn, n.FastOwn = &so, &fo
		// EXPLAIN writes microseconds: what is shorter in each loop may be any part of one.
		floor := slowResolution * max(p.fast.Actual.Loops, 1)
		f := p.slowOwn / max(p.fastOwn, floor)
		n.AtLeast = p.fastOwn < 2*floor
		f = math.Round(f*100) / 100
		n.Factor = &f
		if p.slowOwn > p.fastOwn && extra > 0 {
			n.Share = math.Round(1000*(p.slowOwn-p.fastOwn)/extra) / 10
		}
	}
	d.Spread = slowSpread(pairs)
}

// slowResolution is the last digit of EXPLAIN's times, in milliseconds.
const slowResolution = 0.001

func slowRound(v float64) float64 { return math.Round(v*1000) / 1000 }

// pairs walks two trees of one shape and works out each node's own time.
func (d *Report) pairs() []slowPair {
	var out []slowPair
	so, st := shape.OwnTimes(d.slowRun)
	fo, ft := shape.OwnTimes(d.fastRun)
	d.Nodes = nil
	var walk func(s, f *queryplan.Node, depth int)
	walk = func(s, f *queryplan.Node, depth int) {
		d.Nodes = append(d.Nodes, Node{Head: s.Head, Depth: depth})
		out = append(out, slowPair{slow: s, fast: f, slowOwn: so[s], fastOwn: fo[f], timed: st[s] && ft[f],
			at: len(d.Nodes) - 1})
		for i := range min(len(s.Children), len(f.Children)) {
			walk(s.Children[i], f.Children[i], depth+1)
		}
	}
	walk(d.slowRun.Root, d.fastRun.Root, 0)
	return out
}

// slowSpread says how the slowness is distributed over the nodes: uniform if all that took a noticeable part of the
// time are slower by about the same factor.
func slowSpread(pairs []slowPair) string {
	total := 0.0
	for _, p := range pairs {
		total += p.slowOwn
	}
	low, high, n := math.Inf(1), 0.0, 0
	for _, p := range pairs {
		// Less than a hundredth of the time, or some microseconds a loop, is noise.
		if !p.timed || p.slowOwn < total/100 || p.fastOwn < 10*slowResolution*max(p.fast.Actual.Loops, 1) {
			if p.timed && p.slowOwn > total/2 {
				return "concentrated" // from next to nothing to most of the time
			}
			continue
		}
		f := p.slowOwn / p.fastOwn
		low, high, n = min(low, f), max(high, f), n+1
	}
	switch {
	case n == 0:
		return "unknown"
	case n == 1:
		return "concentrated"
	case high <= 3*low: // caches and clocks alone make nodes differ by two
		return "uniform"
	}
	return "concentrated"
}

// worst returns the nodes that hold most of the extra time, the worst first.
func (d *Report) worst(n int) []Node {
	list := slices.Clone(d.Nodes)
	slices.SortStableFunc(list, func(a, b Node) int { return cmp.Compare(b.Share, a.Share) })
	list = slices.DeleteFunc(list, func(s Node) bool { return s.Share < 5 })
	return list[:min(n, len(list))]
}
