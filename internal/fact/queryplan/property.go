package queryplan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// words are the properties that are kept as texts: what a node looks for and in
// which order, so that two plans can be told apart by it.
var words = []string{"Index Cond", "Recheck Cond", "TID Cond", "Filter", "Join Filter", "Hash Cond", "Merge Cond",
	"One-Time Filter",
	"Order By", "Sort Key", "Presorted Key", "Group Key", "Hash Key", "Cache Key", "Cache Mode", "Function Call",
	"Run Condition", "Conflict Filter", "Vectorized Filter", "Storage Filter", "Storage Index Filter", "Remote Filter"}

// maxWord bounds such a text: an IN list may have a hundred thousand members.
const maxWord = 4096

func (n *Node) word(name, text string) {
	if len(text) > maxWord {
		text = strings.ToValidUTF8(text[:maxWord], "") + "…"
	}
	if len(n.Words) < 100 {
		n.Words = append(n.Words, Property{Name: name, Text: text})
	}
}

// ordinary are properties that say nothing about time and are not kept.
var ordinary = []string{"Output", "Query Identifier", "Query Parameters", "Window", "Params Evaluated",
	"Options", "Single Copy", "Inner Unique", "Function Name", "Disabled", "Remote SQL",
	"Relations", "Tuples Inserted", "Conflicting Tuples", "Conflict Resolution", "Conflict Arbiter Indexes", "Tuples",
	"Sampling", "Repeatable Seed", "Optimizer", "Table Function Call", "Workers", "Replaces",
	"Prefetch", "File cache", // Neon
	"Task Count", "Tasks Shown", "Node", "Map Task Count", "Merge Task Count", "Subplan Duration",
	"Intermediate Data Size", "Result destination", // Citus
	"Order", "Batches Removed by Filter", "Bulk Decompression", "Startup Exclusion", "Runtime Exclusion",
	"Vectorized Aggregation", "Batch Sorted Merge", "Reverse", "Grouping Policy", // TimescaleDB
	"Extra Text", "Partitions selected", "Peak Memory Usage"} // Greenplum, YugabyteDB

// families are beginnings of the names of such properties.
var families = []string{"Storage ", "Catalog ", "Chunks excluded ", "Hypertables excluded ", "Tuple data received "}

// counters are properties by which even a node without its own line is known to be one.
var counters = []string{"Buffers", "I/O Timings", "WAL", "Rows Removed by Filter", "Rows Removed by Join Filter",
	"Rows Removed by Index Recheck", "Heap Blocks", "Heap Fetches", "Sort Method", "Workers Launched", "Batches",
	"Buckets"}

// measures are the other properties that are read.
var measures = []string{"Workers Planned", "Index Searches", "Storage", "Hits", "Full-sort Groups",
	"Pre-sorted Groups", "Sort Methods", "Planned Partitions", "Subplans Removed", "Estimates"}

// known says whether a name is that of a property of a node.
func known(name string) bool {
	return slices.Contains(words, name) || slices.Contains(counters, name) || slices.Contains(measures, name) ||
		isOrdinary(name)
}

func isOrdinary(name string) bool {
	return slices.Contains(ordinary, name) ||
		slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(name, f) })
}

// property reads one line below a node; false where it is not understood.
func (n *Node) property(text string) bool {
	name, val, ok := strings.Cut(text, ":")
	if !ok {
		return false
	}
	val = strings.TrimSpace(val)
	if slices.Contains(words, name) {
		n.word(name, val)
		return true
	}
	switch name {
	case "Buffers":
		b := buffers(val)
		if b == nil {
			return false
		}
		n.Buffers = b
	case "I/O Timings":
		n.IO = ioTimes(val)
	case "WAL":
		n.WAL = &WAL{Records: numberAfter(val, "records="), FPI: numberAfter(val, "fpi="),
			Bytes: numberAfter(val, "bytes="), Full: numberAfter(val, "buffers full=")}
	case "Workers Planned":
		v := leadingNumber(val)
		n.Planned = &v
	case "Workers Launched":
		v := leadingNumber(val)
		n.Launched = &v
	case "Sort Method":
		n.Sort = sortOf(val)
	case "Full-sort Groups", "Pre-sorted Groups":
		n.groups(val)
	case "Buckets":
		n.Hash = hashOf(text)
	case "Planned Partitions": // HashAggregate that expected to spill
		if strings.Contains(text, "Batches: ") {
			n.Hash = &Hash{Batches: numberAfter(text, "Batches: "), MemoryKB: numberAfter(text, "Memory Usage: "),
				DiskKB: numberAfter(text, "Disk Usage: ")}
		}
	case "Batches": // HashAggregate
		n.Hash = &Hash{Batches: leadingNumber(val), MemoryKB: numberAfter(text, "Memory Usage: "),
			DiskKB: numberAfter(text, "Disk Usage: ")}
	case "Rows Removed by Filter", "Rows Removed by Join Filter":
		n.Removed += leadingNumber(val)
	case "Rows Removed by Index Recheck":
		n.Recheck += leadingNumber(val)
	case "Heap Fetches":
		v := leadingNumber(val)
		n.Fetches = &v
	case "Index Searches":
		v := leadingNumber(val)
		n.Searches = &v
	case "Heap Blocks":
		n.Exact, n.Lossy = numberAfter(val, "exact="), numberAfter(val, "lossy=")
	case "Storage":
		n.Storage, _, _ = strings.Cut(val, " ")
	case "Subplans Removed":
		n.Pruned = leadingNumber(val)
	case "Estimates":
		n.cache().Keys, n.cache().Lookups = numberAfter(val, "distinct keys="), numberAfter(val, "lookups=")
	case "Hits":
		m := n.cache()
		m.Hits, m.Misses, m.Evictions = leadingNumber(val), numberAfter(text, "Misses: "),
			numberAfter(text, "Evictions: ")
	default:
		return isOrdinary(name)
	}
	return true
}

// cache is what is known of a node's cache.
func (n *Node) cache() *Memoize {
	if n.Memoize == nil {
		n.Memoize = &Memoize{}
	}
	return n.Memoize
}

// groups reads what an incremental sort says of its groups: "1  Sort Method: quicksort
// Average Memory: 25kB  Peak Memory: 25kB". The largest group stands for the sort.
func (n *Node) groups(val string) {
	_, rest, ok := strings.Cut(val, "Sort Method")
	if !ok {
		return
	}
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "s"), ": ")
	s := &Sort{Disk: strings.Contains(rest, "Disk: ")}
	s.Method, _, _ = strings.Cut(rest, " Average")
	s.Method = strings.TrimSpace(s.Method)
	s.KB = max(numberAfter(rest, "Peak Memory: "), numberAfter(rest, "Peak Disk: "))
	if n.Sort == nil || s.Disk && !n.Sort.Disk || s.KB > n.Sort.KB && s.Disk == n.Sort.Disk {
		n.Sort = s
	}
}

func (w *Worker) property(text string) {
	name, val, _ := strings.Cut(text, ": ")
	switch name {
	case "Buffers":
		if b := buffers(val); b != nil {
			w.Buffers = b
		}
	case "Sort Method":
		w.Sort = sortOf(val)
	}
}

// spaceUsed is the end of a sort's line.
var spaceUsed = regex.New(`\s+(Memory|Disk): ([\d,]+)\s?kB`)

// sortOf reads "external merge  Disk: 1234kB".
func sortOf(val string) *Sort {
	m := spaceUsed.FindStringSubmatchIndex(val)
	if m == nil {
		// The size is cut off or was not written.
		method, _, _ := strings.Cut(val, "  ")
		method, _, disk := strings.Cut(method, " Disk:")
		return &Sort{Method: strings.TrimSpace(method), Disk: disk || strings.HasPrefix(method, "external")}
	}
	s := &Sort{Method: strings.TrimSpace(val[:m[0]]), Disk: val[m[2]:m[3]] == "Disk"}
	s.KB = leadingNumber(strings.ReplaceAll(val[m[4]:m[5]], ",", ""))
	return s
}

// hashOf reads "Buckets: 65536 (originally 1024)  Batches: 4 (originally 1)  Memory Usage: 4097kB".
func hashOf(text string) *Hash {
	h := &Hash{Buckets: numberAfter(text, "Buckets: "), Batches: numberAfter(text, "Batches: "),
		MemoryKB: numberAfter(text, "Memory Usage: ")}
	h.Original = h.Batches
	if _, rest, ok := strings.Cut(text, "Batches: "); ok {
		rest, _, _ = strings.Cut(rest, "Memory Usage")
		if o := numberAfter(rest, "(originally "); o > 0 {
			h.Original = o
		}
	}
	return h
}

// buffers reads "shared hit=1 read=2, local hit=3, temp read=4 written=5"; nil where no
// counter is in it, as in a line that was cut.
func buffers(val string) *Buffers {
	if !strings.Contains(val, "=") {
		return nil
	}
	b := &Buffers{}
	for _, part := range strings.Split(val, ",") {
		kind, rest, _ := strings.Cut(strings.TrimSpace(part), " ")
		rest = " " + rest
		hit, read, dirtied, written := numberAfter(rest, " hit="), numberAfter(rest, " read="),
			numberAfter(rest, " dirtied="), numberAfter(rest, " written=")
		switch kind {
		case "shared":
			b.Hit, b.Read, b.Dirtied, b.Written = hit, read, dirtied, written
		case "local":
			b.LocalHit, b.LocalRead, b.LocalDirtied, b.LocalWritten = hit, read, dirtied, written
		case "temp":
			b.TempRead, b.TempWritten = read, written
		}
	}
	return b
}

// ioTimes reads "read=1.0 write=2.0" (up to 14), "shared/local read=1.0, temp
// write=2.0" (15, 16) and "shared read=1.0, local read=1.0, temp read=1.0" (17 and later).
func ioTimes(val string) *IO {
	t := &IO{}
	for _, part := range strings.Split(val, ",") {
		part = " " + strings.TrimSpace(part)
		read, write := timeAfter(part, " read="), timeAfter(part, " write=")
		switch {
		case strings.HasPrefix(part, " local"):
			t.LocalRead, t.LocalWrite = read, write
		case strings.HasPrefix(part, " temp"):
			t.TempRead, t.TempWrite = read, write
		default:
			t.Read, t.Write = read, write
		}
	}
	return t
}

func timeAfter(s, mark string) float64 {
	_, rest, ok := strings.Cut(s, mark)
	if !ok {
		return 0
	}
	rest, _, _ = strings.Cut(rest, " ")
	v, ok := number(rest)
	if !ok {
		return 0
	}
	return v
}

// serialize reads "time=0.1 ms  output=2kB  format=text".
func serialize(val string) *Serialize {
	s := &Serialize{OutputKB: numberAfter(val, "output=")}
	if strings.Contains(val, "time=") {
		v := timeAfter(val, "time=")
		s.Time = &v
	}
	if _, rest, ok := strings.Cut(val, "format="); ok {
		s.Format = strings.TrimSpace(rest)
	}
	return s
}

// settings reads "work_mem = '64kB', jit = 'off'".
func settings(val string) []Property {
	var out []Property
	for _, part := range strings.Split(val, "', ") {
		name, text, ok := strings.Cut(part, " = ")
		if ok && len(out) < 1000 {
			out = append(out, Property{Name: name, Text: strings.Trim(text, "'")})
		}
	}
	return out
}

func sortProperties(list []Property) {
	slices.SortStableFunc(list, func(a, b Property) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Text, b.Text))
	})
}
