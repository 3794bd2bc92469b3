package queryplan

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan/pasted"
)

// object is a JSON object whose numbers keep their digits.
type object map[string]any

// parseJSON reads every JSON plan that is in the lines; none is no error, as they
// may be text. A plan that is cut off is read as far as it goes.
func parseJSON(lines []string) ([]*Plan, error) {
	text, part := inNode(strings.Join(lines, "\n"))
	var out []*Plan
	for at := 0; at < len(text) && len(out) < maxPlans; {
		from, fragment, ok := beginJSON(text, at)
		if !ok {
			break
		}
		o, end, cut, err := decode(text[from:])
		if err != nil {
			return nil, say.Err("JSON: the plan is cut off or damaged: {error}", "error", err)
		}
		if fragment {
			o = object{"Plan": map[string]any(o)}
		}
		p, err := planOf(o, cut != "" || part)
		if err != nil {
			return nil, err
		}
		p.Created = createdIn(text[at:from])
		p.Fragment, p.Cut = fragment || part, cut
		if p.Query == "" && !fragment {
			p.Query = askedIn(text[at:from])
			p.Typed = p.Query != ""
		}
		if m := pasted.Logged.FindAllStringSubmatch(text[at:from], -1); m != nil && p.Execution == nil {
			if v, ok := number(m[len(m)-1][1]); ok {
				p.Execution, p.Logged = &v, true
			}
		}
		at = from + end
		rest, _, _ := strings.Cut(text[at:], `"Plan":`)
		for _, l := range strings.Split(rest, "\n") {
			if v, ok := clientTime(strings.TrimSpace(l)); ok {
				p.Client = &v
				break
			}
		}
		p.finish()
		out = append(out, p)
	}
	return out, nil
}

// nodeValue is a line of a node in JSON that no other document has.
var nodeValue = regex.New(`(?m)^\s*"(?:Actual (?:Total Time|Rows|Loops)|Shared (?:Hit|Read) Blocks|` +
	`Temp (?:Read|Written) Blocks|` +
	`Plan Rows|Total Cost|Sort Space Used|Rows Removed by Filter|Peak Memory Usage)" ?: ?[0-9]`)

// inNode puts the brace back before a text that begins within a node of a plan. part says that it did: of the first
// node, the kind is missing.
func inNode(text string) (whole string, part bool) {
	if !strings.Contains(text, `Blocks"`) && !strings.Contains(text, `"Actual `) &&
		!strings.Contains(text, `"Total Cost"`) && !strings.Contains(text, `"Sort Space`) {
		return text, false
	}
	first := nodeValue.FindStringIndex(text)
	if first == nil || planKey.MatchString(text) {
		return text, false
	}
	end := len(text)
	if m := nodeKey.FindStringIndex(text); m != nil {
		end = m[0]
	}
	if first[0] > end {
		return text, false
	}
	begin := strings.IndexByte(text, '"')
	at := strings.LastIndexByte(text[:first[1]-1], '\n')
	if at >= 0 && !key.MatchString(text[begin:min(len(text), begin+80)]) {
		begin = at + 1
	}
	depth, quoted := 0, false
	for i := begin; i < end; i++ {
		switch c := text[i]; {
		case c == '"' && text[i-min(i, 1)] != '\\':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth < 0 { // what stands before it belongs to what is not there
				begin, depth = i+1, 0
			}
		}
	}
	own := strings.TrimLeft(text[begin:], ", \n")
	if depth == 0 && end < len(text) || depth > 1 && end < len(text) || !key.MatchString(own) ||
		!nodeValue.MatchString(own[:max(0, len(own)-(len(text)-end))]) {
		return text, false
	}
	return `{"Plan": {` + own, true
}

// key is a key of JSON with its colon.
var key = regex.New(`^"[A-Z][A-Za-z /-]{1,40}" ?:`)

var (
	planKey = regex.New(`"Plan" ?:`)
	nodeKey = regex.New(`\{\s*"Node Type" ?:`)
)

// beginJSON finds the object of the next plan; where a part of a plan alone was pasted,
// that of the first node whose beginning is there.
func beginJSON(text string, at int) (from int, fragment, ok bool) {
	m := planKey.FindStringIndex(text[at:])
	if m == nil {
		if at > 0 {
			return 0, false, false
		}
		if m = nodeKey.FindStringIndex(text); m == nil {
			return 0, false, false
		}
		return m[0], true, true
	}
	key := at + m[0]
	from = strings.LastIndexByte(text[at:key], '{')
	// auto_explain's object begins with the query, which may hold a brace.
	if q := strings.LastIndex(text[at:key], `"Query Text":`); q >= 0 {
		if b := strings.LastIndexByte(text[at:at+q], '{'); b >= 0 {
			from = b
		}
	}
	if from < 0 { // the brace is cut off
		if m = nodeKey.FindStringIndex(text[key:]); m == nil {
			return 0, false, false
		}
		return key + m[0], true, true
	}
	return at + from, false, true
}

// decode reads an object and where it ends. One that is cut off is closed behind its last
// whole value; the third result is then the line where it ends.
func decode(text string) (object, int, string, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var o object
	err := dec.Decode(&o)
	if err == nil {
		return o, int(dec.InputOffset()), "", nil
	}
	whole, end := closed(text)
	if whole == "" {
		return nil, 0, "", err
	}
	dec = json.NewDecoder(strings.NewReader(whole))
	dec.UseNumber()
	if dec.Decode(&o) != nil {
		return nil, 0, "", err
	}
	return o, len(text), lastLine(text[:end]), nil
}

// closed is an object that is cut off, up to its last whole value and with its brackets
// closed; "" where nothing of it is whole. The second result is how much of it was read.
func closed(text string) (string, int) {
	var stack, at []byte // brackets that are open, and those at the last whole value
	end, inside, escaped := 0, false, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case escaped:
			escaped = false
		case inside:
			escaped = c == '\\'
			inside = c != '"'
		case c == '"':
			inside = true
		case c == '{', c == '[':
			stack = append(stack, c)
		case c == '}', c == ']':
			if len(stack) == 0 {
				return "", 0
			}
			stack = stack[:len(stack)-1]
			end, at = i+1, append(at[:0], stack...)
		case c == ',':
			end, at = i, append(at[:0], stack...)
		}
		if len(stack) > 4*maxDepth {
			return "", 0
		}
	}
	if end == 0 {
		return "", 0
	}
	var b strings.Builder
	b.WriteString(text[:end])
	for i := len(at) - 1; i >= 0; i-- {
		b.WriteByte(at[i] + 2) // { } and [ ] are two apart
	}
	return b.String(), end
}

// planOf makes a plan of its object. Where it was cut, the kind of a node may be behind the nodes below it, as where
// a program sorted the keys, and is missing.
func planOf(o object, cut bool) (*Plan, error) {
	p := &Plan{Format: "json", Query: o.text("Query Text"), Planning: o.time("Planning Time"),
		Execution: o.time("Execution Time")}
	if p.Execution == nil {
		p.Execution = o.time("Total Runtime")
	}
	root := o.object("Plan")
	if strings.TrimSpace(root.text("Node Type")) == "" && !(cut && (len(root) > 1 || len(root.objects("Plans")) > 0)) {
		return nil, say.Err("JSON: the plan has no Node Type")
	}
	count := 0
	var err error
	if p.Root, err = nodeOf(root, 1, &count); err != nil {
		return nil, err
	}
	if planning := o.object("Planning"); planning != nil {
		p.PlanUsage = bufferCounts(planning)
		if _, ok := planning["Memory Used"]; ok {
			p.Memory = &Memory{UsedKB: planning.count("Memory Used"), AllocatedKB: planning.count("Memory Allocated")}
		}
	}
	if j := o.object("JIT"); j != nil {
		p.JIT = &JIT{Functions: j.count("Functions")}
		if t := j.object("Timing").time("Total"); t != nil {
			p.JIT.Total = *t
		}
	}
	for _, t := range o.objects("Triggers") {
		if len(p.Triggers) == maxNodes {
			break
		}
		// The text form: "Trigger for constraint C on T", "Trigger N on T".
		name := t.text("Trigger Name")
		if c := t.text("Constraint Name"); c != "" && (name == "" || strings.HasPrefix(name, "RI_ConstraintTrigger")) {
			name = "for constraint " + c
		}
		tr := Trigger{Name: name, Time: t.time("Time"), Calls: t.float("Calls")}
		p.Triggers = append(p.Triggers, tr)
	}
	if s := o.object("Serialization"); s != nil {
		p.Serialize = &Serialize{Time: s.time("Time"), OutputKB: s.count("Output Volume"), Format: s.text("Format"),
			Buffers: bufferCounts(s)}
	}
	for name, v := range o.object("Settings") {
		switch v := v.(type) {
		case string:
			p.Settings = append(p.Settings, Property{Name: name, Text: v})
		case json.Number: // XML and YAML
			p.Settings = append(p.Settings, Property{Name: name, Text: string(v)})
		}
	}
	return p, nil
}

func nodeOf(o object, depth int, count *int) (*Node, error) {
	if *count++; *count > maxNodes || depth > maxDepth {
		return nil, errNodes
	}
	n := &Node{Head: headOf(o), Subplan: o.text("Subplan Name")}
	if strings.TrimSpace(o.text("Node Type")) == "" { // a part of a plan
		n.Head, n.Missing = string(MissingHead), true
	} else if n.Head == "" { // a ModifyTable whose operation is cut off
		n.Head = Head(o.text("Node Type"))
	}
	if _, ok := o["Total Cost"]; ok {
		n.Cost = &Cost{Startup: o.float("Startup Cost"), Total: o.float("Total Cost"), Rows: o.float("Plan Rows"),
			Width: o.count("Plan Width")}
	}
	if n.Actual = actualOf(o); n.Actual != nil && n.Actual.Loops == 0 {
		n.Actual, n.Never = nil, true
	}
	n.Buffers, n.IO = bufferCounts(o), ioOf(o)
	if _, ok := o["WAL Records"]; ok {
		n.WAL = &WAL{Records: o.count("WAL Records"), FPI: o.count("WAL FPI"), Bytes: o.count("WAL Bytes"),
			Full: o.count("WAL Buffers Full")}
	}
	n.Planned, n.Launched = o.maybe("Workers Planned"), o.maybe("Workers Launched")
	n.Sort = sortFrom(o)
	n.hashFrom(o)
	n.Removed = o.count("Rows Removed by Filter") + o.count("Rows Removed by Join Filter")
	n.Recheck = o.count("Rows Removed by Index Recheck")
	n.Fetches, n.Searches = o.maybe("Heap Fetches"), o.maybe("Index Searches")
	n.Pruned = o.count("Subplans Removed")
	n.Exact, n.Lossy, n.Storage = o.count("Exact Heap Blocks"), o.count("Lossy Heap Blocks"), o.text("Storage")
	if _, ok := o["Cache Hits"]; ok && n.Actual != nil {
		n.Memoize = &Memoize{Hits: o.count("Cache Hits"), Misses: o.count("Cache Misses"),
			Evictions: o.count("Cache Evictions"), Keys: o.count("Estimated Distinct Lookup Keys"),
			Lookups: o.count("Estimated Lookups")}
		n.Hash = nil // its peak memory is no table's
	}
	for _, w := range words {
		switch v := o[w].(type) {
		case string:
			n.word(w, v)
		case []any:
			n.word(w, strings.Join(texts(v), ", "))
		}
	}
	n.groupingSets(o)
	for _, w := range o.objects("Workers") {
		to := n.worker(w.count("Worker Number"))
		to.Actual, to.Buffers, to.Sort = actualOf(w), bufferCounts(w), sortFrom(w)
	}
	for _, c := range o.objects("Plans") {
		child, err := nodeOf(c, depth+1, count)
		if err != nil {
			return nil, err
		}
		n.Children = append(n.Children, child)
	}
	return n, nil
}

// groupingSets reads what the text format writes as one line a set.
func (n *Node) groupingSets(o object) {
	for _, set := range o.objects("Grouping Sets") {
		for _, kind := range []string{"Hash Key", "Group Key"} {
			lists, _ := set[kind+"s"].([]any)
			for _, l := range lists {
				keys, _ := l.([]any)
				text := strings.Join(texts(keys), ", ")
				if text == "" {
					text = "()"
				}
				n.word(kind, text)
			}
		}
		if keys, ok := set["Sort Key"].([]any); ok {
			n.word("Sort Key", strings.Join(texts(keys), ", "))
		}
	}
}

// headOf spells a node as the text format does.
func headOf(o object) string {
	kind := o.text("Node Type")
	var b strings.Builder
	if o["Async Capable"] == true {
		b.WriteString("Async ")
	}
	if o["Parallel Aware"] == true {
		b.WriteString("Parallel ")
	}
	if m := o.text("Partial Mode"); m != "" && m != "Simple" {
		b.WriteString(m + " ")
	}
	join := o.text("Join Type")
	name := kind
	switch kind {
	case "Aggregate":
		name = map[string]string{"Sorted": "GroupAggregate", "Hashed": "HashAggregate",
			"Mixed": "MixedAggregate"}[o.text("Strategy")]
		if name == "" {
			name = kind
		}
	case "SetOp":
		if o.text("Strategy") == "Hashed" {
			name = "HashSetOp"
		}
		name += " " + o.text("Command")
	case "ModifyTable":
		name = o.text("Operation")
	case "Foreign Scan":
		if op := o.text("Operation"); op != "" && op != "Select" {
			name = "Foreign " + op
		}
	case "Custom Scan":
		name += " (" + o.text("Custom Plan Provider") + ")"
	case "Hash Join", "Merge Join":
		name = strings.TrimSuffix(kind, " Join")
		if join != "" && join != "Inner" {
			name += " " + join
		}
		name += " Join"
	case "Nested Loop":
		if join != "" && join != "Inner" {
			name += " " + join + " Join"
		}
	}
	b.WriteString(name)
	if o.text("Scan Direction") == "Backward" {
		b.WriteString(" Backward")
	}
	index := o.text("Index Name")
	switch {
	case index != "" && kind == "Bitmap Index Scan":
		b.WriteString(" on " + index)
	case index != "":
		b.WriteString(" using " + index)
	}
	object := ""
	for _, k := range []string{"Relation Name", "Function Name", "Table Function Name", "CTE Name", "Tuplestore Name"} {
		if v := o.text(k); v != "" {
			object = v
			break
		}
	}
	bare := object
	if s := o.text("Schema"); s != "" && object != "" {
		object = s + "." + object
	}
	alias := o.text("Alias")
	switch {
	case object != "" && alias != "" && alias != bare:
		b.WriteString(" on " + object + " " + alias)
	case object != "":
		b.WriteString(" on " + object)
	case alias != "":
		b.WriteString(" on " + alias)
	}
	return Head(b.String())
}

func actualOf(o object) *Actual {
	if _, ok := o["Actual Loops"]; !ok {
		return nil
	}
	return &Actual{Startup: o.time("Actual Startup Time"), Total: o.time("Actual Total Time"),
		Rows: o.float("Actual Rows"), Loops: o.float("Actual Loops")}
}

func bufferCounts(o object) *Buffers {
	if _, ok := o["Shared Hit Blocks"]; !ok {
		return nil
	}
	return &Buffers{
		Hit: o.count("Shared Hit Blocks"), Read: o.count("Shared Read Blocks"),
		Dirtied: o.count("Shared Dirtied Blocks"), Written: o.count("Shared Written Blocks"),
		LocalHit: o.count("Local Hit Blocks"), LocalRead: o.count("Local Read Blocks"),
		LocalDirtied: o.count("Local Dirtied Blocks"), LocalWritten: o.count("Local Written Blocks"),
		TempRead: o.count("Temp Read Blocks"), TempWritten: o.count("Temp Written Blocks"),
	}
}

func ioOf(o object) *IO {
	t := &IO{LocalRead: o.float("Local I/O Read Time"), LocalWrite: o.float("Local I/O Write Time"),
		TempRead: o.float("Temp I/O Read Time"), TempWrite: o.float("Temp I/O Write Time"),
		Read: o.float("Shared I/O Read Time") + o.float("I/O Read Time"), Write: o.float("Shared I/O Write Time") +
			o.float("I/O Write Time")}
	return t
}

func sortFrom(o object) *Sort {
	m, disk := o.text("Sort Method"), o.text("Sort Space Type") == "Disk"
	if _, ok := o["Sort Space Used"]; m == "" && ok && disk {
		m = "external" // as all that sorts on disk; the rest is cut off
	}
	if m == "" {
		return nil
	}
	return &Sort{Method: m, Disk: disk, KB: o.count("Sort Space Used")}
}

// hashFrom reads the table of a hash join, and the batches of an aggregate.
func (n *Node) hashFrom(o object) {
	_, buckets := o["Hash Buckets"]
	_, agg := o["HashAgg Batches"]
	switch {
	case buckets:
		n.Hash = &Hash{Buckets: o.count("Hash Buckets"), Batches: o.count("Hash Batches"),
			Original: o.count("Original Hash Batches"), MemoryKB: o.count("Peak Memory Usage")}
	case agg && n.Actual != nil:
		n.Hash = &Hash{Batches: o.count("HashAgg Batches"), MemoryKB: o.count("Peak Memory Usage"),
			DiskKB: o.count("Disk Usage")}
	}
}

func (o object) text(k string) string {
	switch v := o[k].(type) {
	case string:
		return v
	case json.Number: // a name of digits, in XML
		return string(v)
	}
	return ""
}

func (o object) object(k string) object {
	m, _ := o[k].(map[string]any)
	return m
}

func (o object) objects(k string) []object {
	list, _ := o[k].([]any)
	var out []object
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return slices.Clip(out)
}

func (o object) float(k string) float64 {
	n, _ := o[k].(json.Number)
	v, ok := number(string(n))
	if !ok || math.IsNaN(v) {
		return 0
	}
	return v
}

func (o object) count(k string) int64 {
	n, _ := o[k].(json.Number)
	return leadingNumber(string(n))
}

func (o object) maybe(k string) *int64 {
	if _, ok := o[k].(json.Number); !ok {
		return nil
	}
	v := o.count(k)
	return &v
}

func (o object) time(k string) *float64 {
	if _, ok := o[k].(json.Number); !ok {
		return nil
	}
	v := o.float(k)
	return &v
}

func texts(list []any) []string {
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
