package queryplan

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan/pasted"
)

// MissingHead is the name of a node whose own line is missing.
const MissingHead say.Template = "(its own line is missing)"

// builder makes a plan of the lines of a segment.
type builder struct {
	plan  *Plan
	stack []frame // the nodes that are open, outermost first
	label string  // subplan label that waits for its node
	flat  bool
	// where the lines of a worker end; -1: none
	worker            int
	inPlanning, inJIT bool
	inSerialize       bool
}

type frame struct {
	node   *Node
	column int
}

// build makes a segment's plan; nil where it is none.
func (s *segment) build() (*Plan, error) {
	if len(s.items) == 0 {
		return nil, nil
	}
	b := &builder{worker: -1, plan: &Plan{Format: "text", Execution: s.duration, Logged: s.duration != nil,
		Query: s.query, Typed: s.typed, Created: s.created,
		Fragment: s.fragment, Cut: s.cut}}
	if s.unknown.Lines > 0 {
		u := s.unknown
		b.plan.Unknown = &u
	}
	root, first := s.root()
	b.flat = s.flat || root.flat
	b.plan.Flat = b.flat
	if root.node != nil {
		b.plan.Root, b.stack = root.node, []frame{{root.node, root.column}}
	}
	for i := range s.items {
		it := &s.items[i]
		switch {
		case i == first && b.plan.Root == nil:
			b.plan.Root = node(it.text)
			b.plan.Root.Own = it.own
			b.stack = []frame{{b.plan.Root, root.column}}
			b.cut(it)
		case it.kind == itemNode:
			if err := b.child(it); err != nil {
				return nil, err
			}
		case it.kind == itemLabel:
			// Its node stands below the one that the label belongs to, not below the
			// last one, which may be as far left as the label.
			for len(b.stack) > 1 && b.stack[len(b.stack)-1].column >= it.column && !b.flat {
				b.stack = b.stack[:len(b.stack)-1]
			}
			b.label = it.text
		default:
			b.property(it.text, it.column)
		}
	}
	if b.flat && !s.flat {
		b.plan.rebuild()
	}
	if last := &s.items[len(s.items)-1]; last.kind == itemProperty && b.plan.Cut == "" && openEnded(last.text) {
		b.plan.Cut = last.text
	}
	b.plan.Product = s.product()
	b.plan.finish()
	return b.plan, nil
}

// openEnded says whether a condition ends within its brackets, and no dots say that a person left out the rest.
func openEnded(text string) bool {
	name, val, ok := strings.Cut(text, ":")
	return ok && slices.Contains(words, name) && strings.Count(val, "(") > strings.Count(val, ")") &&
		!strings.Contains(val, "...") && !strings.Contains(val, "…") && strings.Count(val, "'")%2 == 0
}

// product is the fork of PostgreSQL whose own nodes or lines a segment has; "" where it has none.
func (s *segment) product() string {
	for i := range s.items {
		t := s.items[i].text
		switch {
		case motion.MatchString(t), strings.HasPrefix(t, "Dynamic Seq Scan"):
			return "Greenplum"
		case strings.HasPrefix(t, "XN "):
			return "Redshift"
		case strings.HasPrefix(t, "YB "), strings.HasPrefix(t, "Storage Table Read"),
			strings.HasPrefix(t, "Storage Index Read"):
			return "YugabyteDB"
		}
	}
	return ""
}

// start is the root of a segment's tree.
type start struct {
	node   *Node // where its own line is missing
	column int
	flat   bool
}

// root finds where the tree begins, and whether the indentation makes one. The second
// result is the root's item where it has a line.
func (s *segment) root() (start, int) {
	const far = 1 << 30
	first, least, most, arrows, properties := -1, far, -1, 0, far
	left := false // a property stands as far left as the arrow of its node
	for i := range s.items {
		it := &s.items[i]
		switch {
		case it.kind == itemNode && first < 0:
			first = i
		case it.kind == itemNode && it.arrow:
			least, most, arrows = min(least, it.column), max(most, it.column), arrows+1
		}
		if it.kind == itemProperty {
			if first < 0 {
				properties = min(properties, it.column)
			}
			name, _, _ := strings.Cut(it.text, ":")
			left = left || arrows > 0 && it.column <= least && known(name)
		}
	}
	missing := &Node{Head: string(MissingHead), Missing: true}
	if first != 0 { // lines of a node whose own is missing come first
		column := properties
		if first >= 0 {
			column = min(column, s.items[first].column, least)
		}
		return start{node: missing, column: column - 1}, -1
	}
	column := s.items[0].column
	switch {
	case least > column:
		return start{column: column}, 0
	case s.fragment: // an aunt of the first node, or a sister
		return start{node: missing, column: least - 1}, -1
	}
	// The first line lost its indentation, or all lines did.
	return start{column: least - 1, flat: least == most && (arrows > 1 || left)}, 0
}

// child hangs a node below the nearest one before it that stands further left.
func (b *builder) child(it *item) error {
	column := it.column
	if b.flat || column <= b.stack[0].column {
		column = b.stack[0].column + 1
	}
	for len(b.stack) > 1 && b.stack[len(b.stack)-1].column >= column {
		b.stack = b.stack[:len(b.stack)-1]
	}
	if len(b.stack) > maxDepth {
		return errNodes
	}
	n := node(it.text)
	n.Own = it.own
	n.Subplan, b.label = b.label, ""
	parent := b.stack[len(b.stack)-1].node
	parent.Children = append(parent.Children, n)
	b.stack = append(b.stack, frame{n, column})
	b.worker, b.inPlanning, b.inJIT, b.inSerialize = -1, false, false, false
	b.cut(it)
	return nil
}

// cut notes a node's line that ends within its numbers.
func (b *builder) cut(it *item) {
	if at := strings.LastIndex(it.text, " ("); at >= 0 && strings.Count(it.text, "(") > strings.Count(it.text, ")") {
		b.plan.Cut = it.text
	}
}

// property gives a line to the node it belongs to, to the plan, or to nobody.
func (b *builder) property(text string, column int) {
	p := b.plan
	if found := wholeTimes(text); found != nil {
		for _, t := range found {
			switch {
			case t.said && (t.planning && p.Planning != nil || !t.planning && p.Execution != nil):
			case t.planning:
				p.Planning = &t.ms
			default:
				p.Execution = &t.ms
			}
		}
		b.inPlanning, b.inJIT = false, false
		return
	}
	if m := trigger.FindStringSubmatch(text); m != nil {
		t := Trigger{Name: pasted.UnquotedNames(m[1])}
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
		b.inPlanning, b.inJIT = true, false
		return
	case text == "JIT:":
		b.inJIT, b.inPlanning = true, false
		p.JIT = &JIT{}
		return
	case b.section(text):
		return
	}
	b.inPlanning, b.inJIT, b.inSerialize = false, false, false
	if rest, ok := strings.CutPrefix(text, "Serialization: "); ok {
		p.Serialize = serialize(rest)
		b.inSerialize = true
		return
	}
	if rest, ok := strings.CutPrefix(text, "Settings: "); ok {
		p.Settings = settings(rest)
		return
	}
	if v, ok := clientTime(text); ok && (p.Execution != nil || strings.HasPrefix(text, "Time:")) {
		if p.Client == nil { // a second one is of the statement behind it
			p.Client = &v
		}
		return
	}
	n := b.owner(column)
	if m := workerTag.FindStringSubmatch(text); m != nil {
		w := n.worker(leadingNumber(m[1]))
		b.worker = column
		rest := text[len(m[0]):]
		if a := actual(workerAct.FindStringSubmatch(rest)); a != nil {
			w.Actual = a
			return
		}
		w.property(rest)
		return
	}
	if b.worker >= 0 && column > b.worker && len(n.Workers) > 0 {
		n.Workers[len(n.Workers)-1].property(text)
		return
	}
	b.worker = -1
	if !n.property(text) {
		p.Cut = text // a property's name without its value
	}
}

// owner is the innermost open node that stands further left than a line.
func (b *builder) owner(column int) *Node {
	for i := len(b.stack) - 1; i > 0; i-- {
		if b.stack[i].column < column || b.flat {
			return b.stack[i].node
		}
	}
	return b.stack[0].node
}

// section reads the lines below «Planning:» and «JIT:»; false where a line is none.
func (b *builder) section(text string) bool {
	name, val, ok := strings.Cut(text, ": ")
	switch {
	case !ok:
		return false
	case b.inPlanning && name == "Buffers":
		b.plan.PlanUsage = buffers(val)
	case b.inSerialize && name == "Buffers":
		b.plan.Serialize.Buffers = buffers(val)
	case (b.inPlanning || b.inSerialize) && name == "I/O Timings":
	case b.inPlanning && name == "Memory":
		b.plan.Memory = &Memory{UsedKB: numberAfter(val, "used="), AllocatedKB: numberAfter(val, "allocated=")}
	case b.inJIT && name == "Functions":
		b.plan.JIT.Functions = leadingNumber(val)
	case b.inJIT && name == "Options":
	case b.inJIT && name == "Timing":
		if at := strings.Index(val, "Total "); at >= 0 {
			t, _, _ := strings.Cut(val[at+len("Total "):], " ")
			b.plan.JIT.Total, _ = number(t)
		}
	default:
		return false
	}
	return true
}

// Inputs is how many nodes stand right below a node by its kind, subplans not counted;
// -1 where its kind does not tell.
func (n *Node) Inputs() int {
	head := n.Head
	for _, word := range []string{"Async ", "Parallel ", "Partial ", "Finalize "} {
		head = strings.TrimPrefix(head, word)
	}
	begins := func(words ...string) bool {
		for _, w := range words {
			if strings.HasPrefix(head, w) {
				return true
			}
		}
		return false
	}
	switch {
	case n.Missing, begins("Append", "Merge Append", "Bitmap And", "BitmapAnd", "BitmapOr", "Result", "Custom Scan",
		"Foreign", "SetOp", "HashSetOp", "Merge on"):
		return -1
	case begins("Bitmap Heap Scan", "Subquery Scan"):
		return 1
	case begins("Nested Loop", "Recursive Union"), strings.HasSuffix(head, "Join"):
		return 2
	case strings.Contains(head, "Scan"):
		return 0
	case begins("Hash", "Limit", "Sort", "Incremental Sort", "Aggregate", "GroupAggregate", "HashAggregate",
		"MixedAggregate", "WindowAgg", "Unique", "LockRows", "Gather", "Materialize", "Memoize", "Group", "ProjectSet",
		"Insert", "Update", "Delete"):
		return 1
	}
	return -1
}

// Complete says whether all nodes that must stand below a node are there, so that its
// own time can be told.
func (n *Node) Complete() bool {
	have := 0
	for _, c := range n.Children {
		if c.Subplan == "" {
			have++
		}
	}
	return have >= n.Inputs() && !n.lacksRows()
}

// worked says whether a node took time or accessed blocks, which one that has nothing below it does not.
func (n *Node) worked() bool {
	const least = 1.0 // milliseconds
	b := n.Buffers
	return n.Actual.Total != nil && *n.Actual.Total*n.Actual.Loops >= least ||
		b != nil && b.Hit+b.Read+b.LocalHit+b.LocalRead > 0
}

// lacksRows says whether a node that returns the rows of those below it, and none of its own, returned more than they
// did: some of them are not in the paste. EXPLAIN rounds the rows of each loop.
func (n *Node) lacksRows() bool {
	head := strings.TrimPrefix(n.Head, "Parallel ")
	if n.Actual == nil || n.Actual.NoRows || !strings.HasPrefix(head, "Append") &&
		!strings.HasPrefix(head, "Merge Append") && !strings.HasPrefix(head, "Custom Scan (ChunkAppend)") {
		return false
	}
	missing := n.Actual.Rows*n.Actual.Loops - n.Actual.Loops/2
	if len(n.Children) == 0 && n.Pruned == 0 && n.worked() {
		return true
	}
	for _, c := range n.Children {
		switch {
		case c.Subplan != "" || c.Never:
		case c.Actual == nil || c.Actual.NoRows:
			return false
		default:
			missing -= (c.Actual.Rows + 0.5) * c.Actual.Loops
		}
	}
	return missing > 0
}

// rebuild makes the tree of a plan whose indentation is lost: the nodes stand in order,
// and where the kind of each tells how many are below it, there is but one tree.
func (p *Plan) rebuild() {
	list := p.Root.Children
	for _, n := range append([]*Node{p.Root}, list...) {
		if n.Inputs() < 0 || n.Subplan != "" || len(n.Children) > 0 && n != p.Root {
			return
		}
	}
	p.Root.Children = nil
	open := []*Node{p.Root}
	for _, n := range list {
		for len(open) > 0 && len(open[len(open)-1].Children) == open[len(open)-1].Inputs() {
			open = open[:len(open)-1]
		}
		if len(open) == 0 || len(open) > maxDepth {
			break
		}
		parent := open[len(open)-1]
		parent.Children = append(parent.Children, n)
		open = append(open, n)
	}
	n, whole := 0, true
	p.Root.Walk(func(x *Node) { n, whole = n+1, whole && len(x.Children) == x.Inputs() })
	if n == len(list)+1 && whole {
		p.Rebuilt = true
		return
	}
	for _, x := range list {
		x.Children = nil
	}
	p.Root.Children = list
}
