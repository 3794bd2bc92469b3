package queryplan

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

var (
	errNodes = errors.New("a plan of too many nodes, or nested too deeply")
	// measured is the end of a node's line: estimate and measurement, each of which may be missing.
	estimated = regexp.MustCompile(`\(cost=([\d.]+)\.\.([\d.]+) rows=([\d.]+) width=(\d+)\)`)
	measured  = regexp.MustCompile(`\(actual (?:time=([\d.]+)\.\.([\d.]+) )?rows=([\d.]+) loops=([\d.]+)\)`)
	workerAct = regexp.MustCompile(`^actual (?:time=([\d.]+)\.\.([\d.]+) )?rows=([\d.]+) loops=([\d.]+)`)
	planTimes = regexp.MustCompile(`(?i)\b(Planning Time|Execution Time|Total runtime): ([\d.]+) ms`)
	// psql's \timing; the word is translated
	clock     = regexp.MustCompile(`^[\p{L}]+: ([\d.,]+) [\p{L}]+(?: \(.*\))?$`)
	logged    = regexp.MustCompile(`duration: ([\d.]+) ms  plan:`)
	subplan   = regexp.MustCompile(`^(?:CTE |InitPlan |SubPlan |Remote SubPlan ).*$`)
	workerTag = regexp.MustCompile(`^Worker (\d+): +`)
	trigger   = regexp.MustCompile(`^Trigger (.+?): (?:time=([\d.]+) )?calls=([\d.]+)`)
	// headWord begins every node's name; what begins otherwise is a condition or a stranger.
	headWord = regexp.MustCompile(`^(?:Async )?(?:Parallel )?(?:Partial |Finalize )?(?:` +
		`Seq Scan|Sample Scan|Index (?:Only )?Scan|Bitmap (?:Heap|Index) Scan|Tid (?:Range )?Scan|Subquery ` +
		`Scan|Function Scan|Table Function Scan|Values Scan|CTE Scan|` +
		`Named Tuplestore Scan|WorkTable Scan|Foreign (?:Scan|Insert|Update|Delete)|Custom Scan|Nested ` +
		`Loop|Merge|Hash|Append|Recursive Union|BitmapAnd|BitmapOr|` +
		`Gather|Materialize|Memoize|Sort|Incremental ` +
		`Sort|Group|Aggregate|GroupAggregate|HashAggregate|MixedAggregate|WindowAgg|Unique|SetOp|HashSetOp|LockRows|` +
		`Limit|` +
		`Insert|Update|Delete|Result|ProjectSet)\b`)
)

// reader makes plans of lines.
type reader struct {
	plans []*Plan
	plan  *Plan
	stack []frame // the nodes that are open, outermost first
	count int
	label string // subplan label that waits for its node
	query []string
	inSQL bool
	pend  *float64 // duration that stands before the plan of a log
	// where the lines of a worker, of planning or of JIT end
	worker, section int // column; -1: none
	inPlanning      bool
	inJIT           bool
}

type frame struct {
	node   *Node
	column int
}

func parseText(lines []string) ([]*Plan, error) {
	r := &reader{worker: -1, section: -1}
	for _, l := range lines {
		if err := r.line(l); err != nil {
			return nil, err
		}
	}
	r.end()
	return r.plans, nil
}

// end closes the plan that is being read.
func (r *reader) end() {
	if r.plan != nil {
		r.plan.finish()
		r.plans = append(r.plans, r.plan)
	}
	r.plan, r.stack, r.count, r.label, r.worker, r.section = nil, nil, 0, "", -1, -1
	r.inPlanning, r.inJIT = false, false
}

func (r *reader) line(l string) error {
	text := strings.TrimLeft(l, " ")
	if text == "" {
		r.inSQL = false
		return nil
	}
	column := len(l) - len(text)
	if m := logged.FindStringSubmatch(l); m != nil {
		r.end()
		v, _ := number(m[1])
		r.pend, r.query = &v, nil
		return nil
	}
	if rest, ok := strings.CutPrefix(text, "Query Text: "); ok {
		r.query, r.inSQL = []string{rest}, true
		return nil
	}
	arrow := strings.HasPrefix(text, "->")
	if arrow {
		text = strings.TrimLeft(text[2:], " ")
	}
	head := heads(text)
	switch {
	case head && !arrow:
		return r.root(text, column)
	case head && r.plan != nil:
		return r.child(text, column)
	case r.inSQL && r.plan == nil:
		r.query = append(r.query, text)
		return nil
	case r.plan == nil:
		return nil
	}
	if len(r.plans) >= maxPlans {
		return errors.New("more plans than can be read")
	}
	r.property(text, column)
	return nil
}

// heads says whether a line is that of a node.
func heads(text string) bool {
	at := strings.Index(text, "  (")
	if at < 0 {
		at = strings.Index(text, " (") // pasted without double blanks
	}
	if at < 0 {
		return false
	}
	tail := text[at:]
	return headWord.MatchString(text) && (strings.Contains(tail, "(cost=") || strings.Contains(tail, "(actual ") ||
		strings.Contains(tail, "(never executed)"))
}

// node makes a node of its line.
func node(text string) *Node {
	n := &Node{}
	end := len(text)
	for _, mark := range []string{"(cost=", "(actual ", "(never executed)"} {
		if at := strings.Index(text, mark); at >= 0 {
			end = min(end, at)
		}
	}
	n.Head = Head(unquoteNames(strings.TrimSpace(text[:end])))
	if m := estimated.FindStringSubmatch(text); m != nil {
		c := &Cost{}
		c.Startup, _ = number(m[1])
		c.Total, _ = number(m[2])
		c.Rows, _ = number(m[3])
		c.Width = leadingNumber(m[4])
		n.Cost = c
	}
	n.Actual = actual(measured.FindStringSubmatch(text))
	n.Never = strings.Contains(text, "(never executed)")
	return n
}

// Head is a node's name with single blanks.
func Head(s string) string { return strings.Join(strings.Fields(s), " ") }

func actual(m []string) *Actual {
	if m == nil {
		return nil
	}
	a := &Actual{}
	if m[1] != "" {
		s, _ := number(m[1])
		t, _ := number(m[2])
		a.Startup, a.Total = &s, &t
	}
	a.Rows, _ = number(m[3])
	a.Loops, _ = number(m[4])
	return a
}

func (r *reader) root(text string, column int) error {
	r.end()
	r.plan = &Plan{Format: "text", Execution: r.pend, Query: strings.Join(r.query, "\n")}
	r.pend, r.query, r.inSQL = nil, nil, false
	r.plan.Root = node(text)
	r.stack = []frame{{r.plan.Root, column}}
	r.count = 1
	return nil
}

// child hangs a node below the nearest one before it that stands further left.
func (r *reader) child(text string, column int) error {
	if r.count++; r.count > maxNodes {
		return errNodes
	}
	if column <= r.stack[0].column {
		// Lost blanks: no tree can be told, but the nodes can.
		r.plan.Flat = true
		column = r.stack[0].column + 1
	}
	for len(r.stack) > 1 && r.stack[len(r.stack)-1].column >= column {
		r.stack = r.stack[:len(r.stack)-1]
	}
	if len(r.stack) > maxDepth {
		return errNodes
	}
	n := node(text)
	n.Subplan, r.label = r.label, ""
	parent := r.stack[len(r.stack)-1].node
	parent.Children = append(parent.Children, n)
	r.stack = append(r.stack, frame{n, column})
	r.worker, r.section = -1, -1
	return nil
}

// property gives a line to the node it belongs to, to the plan, or to nobody.
func (r *reader) property(text string, column int) {
	p := r.plan
	if found := planTimes.FindAllStringSubmatch(text, -1); found != nil {
		for _, m := range found {
			v, ok := number(m[2])
			switch {
			case !ok:
			case strings.EqualFold(m[1], "Planning Time"):
				p.Planning = &v
			default:
				p.Execution = &v
			}
		}
		r.section, r.inPlanning, r.inJIT = -1, false, false
		return
	}
	if m := trigger.FindStringSubmatch(text); m != nil {
		t := Trigger{Name: unquoteNames(m[1])}
		if v, ok := number(m[2]); ok {
			t.Time = &v
		}
		t.Calls, _ = number(m[3])
		if len(p.Triggers) < maxNodes {
			p.Triggers = append(p.Triggers, t)
		}
		return
	}
	switch {
	case text == "Planning:":
		r.inPlanning, r.section = true, column
		return
	case text == "JIT:":
		r.inJIT, r.section = true, column
		p.JIT = &JIT{}
		return
	case r.section >= 0 && column > r.section:
		r.ofSection(text)
		return
	}
	r.section, r.inPlanning, r.inJIT = -1, false, false
	if rest, ok := strings.CutPrefix(text, "Serialization: "); ok {
		p.Serialize = serialize(rest)
		return
	}
	if rest, ok := strings.CutPrefix(text, "Settings: "); ok {
		p.Settings = settings(rest)
		return
	}
	if m := clock.FindStringSubmatch(text); m != nil && (p.Execution != nil || strings.HasPrefix(text, "Time:")) {
		if v, ok := number(strings.ReplaceAll(m[1], ",", ".")); ok {
			p.Client = &v
		}
		return
	}
	if subplan.MatchString(text) && !strings.Contains(text, ": ") {
		// Its node stands below the one that the label belongs to, not below the
		// last one, which may be as far left as the label.
		for len(r.stack) > 1 && r.stack[len(r.stack)-1].column >= column && !p.Flat {
			r.stack = r.stack[:len(r.stack)-1]
		}
		r.label = text
		return
	}
	n := r.owner(column)
	if m := workerTag.FindStringSubmatch(text); m != nil {
		w := n.worker(leadingNumber(m[1]))
		r.worker = column
		rest := text[len(m[0]):]
		if a := actual(workerAct.FindStringSubmatch(rest)); a != nil {
			w.Actual = a
			return
		}
		w.property(rest)
		return
	}
	if r.worker >= 0 && column > r.worker && len(n.Workers) > 0 {
		n.Workers[len(n.Workers)-1].property(text)
		return
	}
	r.worker = -1
	n.property(text)
}

// owner is the innermost open node that stands further left than a line.
func (r *reader) owner(column int) *Node {
	for i := len(r.stack) - 1; i > 0; i-- {
		if r.stack[i].column < column || r.plan.Flat {
			return r.stack[i].node
		}
	}
	return r.stack[0].node
}

// ofSection reads the lines below «Planning:» and «JIT:».
func (r *reader) ofSection(text string) {
	name, val, ok := strings.Cut(text, ": ")
	switch {
	case !ok:
	case r.inPlanning && name == "Buffers":
		r.plan.PlanUsage = buffers(val)
	case r.inPlanning && name == "Memory":
		r.plan.Memory = &Memory{UsedKB: numberAfter(val, "used="), AllocatedKB: numberAfter(val, "allocated=")}
	case r.inJIT && name == "Functions":
		r.plan.JIT.Functions = leadingNumber(val)
	case r.inJIT && name == "Timing":
		if at := strings.Index(val, "Total "); at >= 0 {
			t, _, _ := strings.Cut(val[at+len("Total "):], " ")
			r.plan.JIT.Total, _ = number(t)
		}
	}
}

// worker returns the node's worker of that number.
func (n *Node) worker(number int64) *Worker {
	for i := range n.Workers {
		if n.Workers[i].Number == number {
			return &n.Workers[i]
		}
	}
	if len(n.Workers) < 1024 { // max_parallel_workers is 1024 at most
		n.Workers = append(n.Workers, Worker{Number: number})
	}
	return &n.Workers[len(n.Workers)-1]
}

// number reads a number that is not negative and finite.
func number(s string) (float64, bool) {
	v, err := unit.Figure(strings.TrimSpace(s))
	return v, err == nil && v >= 0 && v < 1e15 // 30,000 years in milliseconds
}

// leadingNumber reads the digits that a text begins with; 0 where there are none. What
// is above 2^62 is 2^62, so that sums of two cannot overflow.
func leadingNumber(s string) int64 {
	s = strings.TrimSpace(s)
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	v, err := strconv.ParseInt(s[:n], 10, 64)
	if n > 0 && (err != nil || v > 1<<40) { // blocks: 8 PB; no counter of one query comes near
		return 1 << 40
	}
	return v
}

// numberAfter is the whole number that follows a mark; 0 where the mark is not there.
func numberAfter(s, mark string) int64 {
	_, rest, ok := strings.Cut(s, mark)
	if !ok {
		return 0
	}
	return leadingNumber(rest)
}
