// Package queryplan reads what EXPLAIN (ANALYZE, BUFFERS) wrote, of PostgreSQL
// 8.x to 19, in the text, JSON, YAML and XML format, into one tree of nodes: the
// same execution gives the same tree whichever format it was written in. It reads
// what people have: psql's table with its borders, lines that a terminal or a mail
// broke, quoted lines of pgAdmin, comments, Markdown, a server log with
// auto_explain, the page of explain.depesz.com, several plans in one paste, parts
// of plans. What is cut is marked and never guessed.
package queryplan

import (
	"errors"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan/pasted"
)

// Bounds of what is read. A plan of a thousand partitions is about 1 MB.
const (
	MaxText  = 16 << 20 // bytes of one file
	maxNodes = 20000    // of one plan
	maxDepth = 400      // nested nodes; the planner's own stack ends long before
	maxPlans = 1000     // in one text
)

// Plan is one plan with what was measured when it ran. Times are milliseconds.
// A pointer that is nil was not written: not measured, or not by that version.
type Plan struct {
	Format   string   `json:"format"`             // text, json, yaml or xml
	Query    string   `json:"query,omitempty"`    // auto_explain's Query Text, or what somebody typed above the plan
	Typed    bool     `json:"-"`                  // the latter
	Created  []string `json:"-"`                  // indexes that the text above the plan creates
	Root     *Node    `json:"root"`               //
	Planning *float64 `json:"planning,omitempty"` // Planning Time
	// Execution Time, Total runtime before 9.4, duration of auto_explain
	Execution *float64   `json:"execution,omitempty"`
	Logged    bool       `json:"-"`                // it is auto_explain's
	Client    *float64   `json:"client,omitempty"` // psql's \timing
	PlanUsage *Buffers   `json:"plan_buffers,omitempty"`
	JIT       *JIT       `json:"jit,omitempty"`
	Triggers  []Trigger  `json:"triggers,omitempty"`
	Serialize *Serialize `json:"serialize,omitempty"` // SERIALIZE, 17 and later
	Memory    *Memory    `json:"memory,omitempty"`    // MEMORY, 17 and later
	Settings  []Property `json:"settings,omitempty"`  // SETTINGS, sorted by name
	Buffers   bool       `json:"buffers"`             // the run counted buffers
	// the indentation is lost: every node stands below the first, unless it was rebuilt
	Flat     bool     `json:"flat,omitempty"`
	Rebuilt  bool     `json:"rebuilt,omitempty"`  // the tree follows from how many inputs each node has
	Product  string   `json:"product,omitempty"`  // the fork that wrote it: Greenplum, Redshift, YugabyteDB
	Fragment bool     `json:"fragment,omitempty"` // its beginning is missing: the first node is not the whole query
	Cut      string   `json:"cut,omitempty"`      // the line that is cut off, where one is
	Unknown  *Unknown `json:"unknown,omitempty"`  // lines of the plan that were not understood
}

// Unknown counts lines that were seen and not understood.
type Unknown struct {
	Lines int    `json:"lines"`
	First string `json:"first"`
}

// Node is one node of a plan.
type Node struct {
	// as the text format prints it, quotes taken off: "Index Scan using i on t a"
	Head     string     `json:"head"`
	Missing  bool       `json:"missing,omitempty"`  // the paste has what stands below its line, but not its line
	Subplan  string     `json:"subplan,omitempty"`  // "InitPlan 1 (returns $0)", "CTE c", "SubPlan 2"
	Cost     *Cost      `json:"cost,omitempty"`     // nil: COSTS OFF
	Actual   *Actual    `json:"actual,omitempty"`   // nil: not executed, or no ANALYZE
	Never    bool       `json:"never,omitempty"`    // (never executed)
	Buffers  *Buffers   `json:"buffers,omitempty"`  // with its children's, all loops and workers together
	IO       *IO        `json:"io,omitempty"`       // track_io_timing; with its children's
	WAL      *WAL       `json:"wal,omitempty"`      // with its children's
	Planned  *int64     `json:"planned,omitempty"`  // Workers Planned
	Launched *int64     `json:"launched,omitempty"` // Workers Launched
	Sort     *Sort      `json:"sort,omitempty"`
	Hash     *Hash      `json:"hash,omitempty"`
	Removed  int64      `json:"removed,omitempty"`  // rows removed by filters and join filters, each loop
	Recheck  int64      `json:"recheck,omitempty"`  // rows removed by rechecks of an index's condition, each loop
	Own      *float64   `json:"own,omitempty"`      // its exclusive time, all loops, where a page wrote it
	Fetches  *int64     `json:"fetches,omitempty"`  // Heap Fetches
	Searches *int64     `json:"searches,omitempty"` // Index Searches, 18 and later
	Exact    int64      `json:"exact,omitempty"`    // Heap Blocks of a bitmap
	Lossy    int64      `json:"lossy,omitempty"`
	Pruned   int64      `json:"subplans_removed,omitempty"` // of an Append, before the first row
	Storage  string     `json:"storage,omitempty"`          // Memory or Disk, 18 and later
	Memoize  *Memoize   `json:"memoize,omitempty"`
	Words    []Property `json:"words,omitempty"` // conditions and keys, sorted by name
	Workers  []Worker   `json:"workers,omitempty"`
	Children []*Node    `json:"children,omitempty"`
}

// Cost is the planner's estimate.
type Cost struct {
	Startup float64 `json:"startup"`
	Total   float64 `json:"total"`
	Rows    float64 `json:"rows"`
	Width   int64   `json:"width"`
	NoTotal bool    `json:"-"` // the costs are not known: a person left them out
}

// Actual is what a node did, on average of its loops. Times are nil with TIMING OFF.
type Actual struct {
	Startup *float64 `json:"startup,omitempty"`
	Total   *float64 `json:"total,omitempty"`
	Rows    float64  `json:"rows"`
	Loops   float64  `json:"loops"`
	NoRows  bool     `json:"-"` // Rows is not known: a person left it out
}

// Buffers counts blocks.
type Buffers struct {
	Hit          int64 `json:"hit"`
	Read         int64 `json:"read"`
	Dirtied      int64 `json:"dirtied"`
	Written      int64 `json:"written"`
	LocalHit     int64 `json:"local_hit"`
	LocalRead    int64 `json:"local_read"`
	LocalDirtied int64 `json:"local_dirtied"`
	LocalWritten int64 `json:"local_written"`
	TempRead     int64 `json:"temp_read"`
	TempWritten  int64 `json:"temp_written"`
}

// Add counts the blocks of another part of the plan, too.
func (b *Buffers) Add(o *Buffers) {
	b.Hit, b.Read, b.Dirtied, b.Written = b.Hit+o.Hit, b.Read+o.Read, b.Dirtied+o.Dirtied, b.Written+o.Written
	b.LocalHit, b.LocalRead = b.LocalHit+o.LocalHit, b.LocalRead+o.LocalRead
	b.LocalDirtied, b.LocalWritten = b.LocalDirtied+o.LocalDirtied, b.LocalWritten+o.LocalWritten
	b.TempRead, b.TempWritten = b.TempRead+o.TempRead, b.TempWritten+o.TempWritten
}

// IO is time in reads and writes, milliseconds. Up to version 16 that of local
// blocks is in the first pair.
type IO struct {
	Read       float64 `json:"read"`
	Write      float64 `json:"write"`
	LocalRead  float64 `json:"local_read"`
	LocalWrite float64 `json:"local_write"`
	TempRead   float64 `json:"temp_read"`
	TempWrite  float64 `json:"temp_write"`
}

// WAL is what a node wrote.
type WAL struct {
	Records int64 `json:"records"`
	FPI     int64 `json:"fpi"`
	Bytes   int64 `json:"bytes"`
	Full    int64 `json:"full"` // times that WAL buffers were full, 18 and later
}

// Sort is how a node sorted.
type Sort struct {
	Method string `json:"method"`
	Disk   bool   `json:"disk"`
	KB     int64  `json:"kb"`
}

// Hash is the table of a hash join or of an aggregate.
type Hash struct {
	Buckets  int64 `json:"buckets,omitempty"`
	Batches  int64 `json:"batches,omitempty"`
	Original int64 `json:"original,omitempty"` // batches that were planned, where it became more; else Batches
	MemoryKB int64 `json:"memory_kb,omitempty"`
	DiskKB   int64 `json:"disk_kb,omitempty"` // of an aggregate
}

// Memoize is its cache.
type Memoize struct {
	Hits      int64 `json:"hits"`
	Misses    int64 `json:"misses"`
	Evictions int64 `json:"evictions"`
	Keys      int64 `json:"estimated_keys,omitempty"`    // distinct keys that the planner expected, 19 and later
	Lookups   int64 `json:"estimated_lookups,omitempty"` //
}

// Worker is what one parallel worker did at a node (VERBOSE).
type Worker struct {
	Number  int64    `json:"number"`
	Actual  *Actual  `json:"actual,omitempty"`
	Buffers *Buffers `json:"buffers,omitempty"`
	Sort    *Sort    `json:"sort,omitempty"`
}

// Property is a name and a text.
type Property struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// JIT is just-in-time compilation, milliseconds.
type JIT struct {
	Functions int64   `json:"functions"`
	Total     float64 `json:"total"`
}

// Trigger is one trigger's time over all its calls.
type Trigger struct {
	Name  string   `json:"name"`
	Calls float64  `json:"calls"`
	Time  *float64 `json:"time,omitempty"`
}

// Serialize is the making of the rows' text or binary form.
type Serialize struct {
	Time     *float64 `json:"time,omitempty"`
	OutputKB int64    `json:"output_kb"`
	Format   string   `json:"format"`
	Buffers  *Buffers `json:"buffers,omitempty"` // of values that are stored out of line
}

// Memory is what planning took.
type Memory struct {
	UsedKB      int64 `json:"used_kb"`
	AllocatedKB int64 `json:"allocated_kb"`
}

// errors of a text that holds no plan, for people.
var (
	ErrNone  = say.Err("no plan of EXPLAIN is in it")
	ErrOther = errors.New("a plan of another database")
	ErrLarge = say.Err("larger than {size}", "size", unit.Bytes(MaxText))
)

// Parse returns every plan of a text, in its order. A text without any is an error.
func Parse(b []byte) ([]*Plan, error) {
	if len(b) > MaxText {
		return nil, ErrLarge
	}
	text := pasted.Plain(b)
	if err := other(text); err != nil {
		return nil, err
	}
	var out []*Plan
	var fault error
	for _, part := range pasted.Formats(text) {
		plans, err := parse(part)
		if err != nil {
			fault = err
		}
		out = append(out, plans...)
	}
	switch {
	case len(out) > 0:
		return out[:min(len(out), maxPlans)], nil
	case fault != nil:
		return nil, fault
	}
	return nil, ErrNone
}

// parse returns the plans of a text that are of one format; nil where there are none.
func parse(text string) ([]*Plan, error) {
	for _, read := range []func(string) ([]*Plan, error){
		func(t string) ([]*Plan, error) { return parseJSON(tidy(t)) },
		parseXML,
		func(t string) ([]*Plan, error) { return parseYAML(tidy(t)) },
		parseText,
	} {
		plans, err := read(text)
		if err != nil || len(plans) > 0 {
			return plans, err
		}
	}
	return nil, nil
}

// finish makes both formats agree: JSON writes zeros where the text is silent.
func (p *Plan) finish() {
	p.Buffers = false
	p.Root.Walk(func(n *Node) { p.Buffers = p.Buffers || n.Buffers != nil && *n.Buffers != Buffers{} })
	summed := p.onlySum()
	p.Root.Walk(func(n *Node) {
		switch {
		case summed && n != p.Root:
			n.Buffers = nil
		case !p.Buffers, n.Actual == nil && n.Buffers != nil && *n.Buffers == Buffers{}:
			n.Buffers = nil
		case n.Actual == nil:
		case n.Buffers == nil && p.Cut == "" && !n.below():
			n.Buffers = &Buffers{}
		}
		if n.IO != nil && *n.IO == (IO{}) {
			n.IO = nil
		}
		if n.WAL != nil && *n.WAL == (WAL{}) {
			n.WAL = nil
		}
		for i := range n.Workers {
			if w := &n.Workers[i]; w.Buffers != nil && *w.Buffers == (Buffers{}) {
				w.Buffers = nil
			}
		}
		if m := n.Memoize; m != nil && m.Hits+m.Misses+m.Evictions == 0 { // estimates alone, or cut behind them
			n.Memoize = nil
		}
		if n.Hash != nil && n.Hash.Original == n.Hash.Batches {
			n.Hash.Original = 0
		}
		sortProperties(n.Words)
	})
	sortProperties(p.Settings)
	if s := p.Serialize; s != nil && s.Buffers != nil && *s.Buffers == (Buffers{}) {
		s.Buffers = nil
	}
	if p.PlanUsage != nil && *p.PlanUsage == (Buffers{}) {
		p.PlanUsage = nil
	}
}

// onlySum says whether blocks are counted in the root alone, which reads none itself: a person left the others out.
func (p *Plan) onlySum() bool {
	b := p.Root.Buffers
	if b == nil || b.Hit+b.Read == 0 || len(p.Root.Children) == 0 || strings.Contains(p.Root.Head, "Scan") ||
		p.Root.below() {
		return false
	}
	for _, modifies := range []string{"Insert", "Update", "Delete", "Merge on", "LockRows", "Result", "ProjectSet"} {
		if strings.HasPrefix(p.Root.Head, modifies) {
			return false
		}
	}
	return true
}

// below says whether blocks are counted below a node: its own count, which includes them, was left out.
func (n *Node) below() bool {
	for _, c := range n.Children {
		if c.Buffers != nil && *c.Buffers != (Buffers{}) || c.Buffers == nil && c.below() {
			return true
		}
	}
	return false
}

// Walk calls fn for a node and all below it, the node first.
func (n *Node) Walk(fn func(*Node)) {
	if n == nil {
		return
	}
	fn(n)
	for _, c := range n.Children {
		c.Walk(fn)
	}
}

// Total is the time that a person waited for the server: planning and
// execution, or what is known of it. The second result is false where no time
// was written.
func (p *Plan) Total() (float64, bool) {
	t, ok := p.Ran()
	if p.Planning != nil {
		t += *p.Planning
	}
	return t, ok
}

// Ran is the time of the execution: what the plan says, else that of its root and
// of the triggers, which the root does not hold. It is unknown of a part of a plan.
func (p *Plan) Ran() (float64, bool) {
	if p.Execution != nil {
		return *p.Execution, true
	}
	if a := p.Root.Actual; a != nil && a.Total != nil && !p.Fragment {
		t := *a.Total * max(a.Loops, 1)
		for _, x := range p.Triggers {
			if x.Time != nil {
				t += *x.Time
			}
		}
		return t, true
	}
	return 0, false
}

// Executed says whether the plan was measured: whether any of its nodes ran. What only a run shows is enough, where a
// person left out the figures.
func (p *Plan) Executed() bool {
	ran := false
	p.Root.Walk(func(n *Node) {
		ran = ran || n.Actual != nil || n.Never || n.Launched != nil || n.Sort != nil || n.Removed > 0 ||
			n.Recheck > 0 || n.Exact+n.Lossy > 0 || n.Fetches != nil
	})
	return ran
}
