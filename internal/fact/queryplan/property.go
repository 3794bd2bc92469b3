package queryplan

import (
	"cmp"
	"slices"
	"strings"
)

// words are the properties that are kept as texts: what a node looks for and in
// which order, so that two plans can be told apart by it.
var words = []string{"Index Cond", "Recheck Cond", "TID Cond", "Filter", "Join Filter", "Hash Cond", "Merge Cond",
	"One-Time Filter",
	"Order By", "Sort Key", "Presorted Key", "Group Key", "Hash Key", "Cache Key", "Cache Mode", "Function Call",
	"Run Condition", "Conflict Filter"}

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

// property reads one line below a node. Unknown ones are passed over.
func (n *Node) property(text string) {
	name, val, ok := strings.Cut(text, ": ")
	if !ok {
		return
	}
	if slices.Contains(words, name) {
		n.word(name, val)
		return
	}
	switch name {
	case "Buffers":
		n.Buffers = buffers(val)
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
	case "Buckets":
		n.Hash = hashOf(text)
	case "Batches": // HashAggregate
		n.Hash = &Hash{Batches: leadingNumber(val), MemoryKB: numberAfter(text, "Memory Usage: "),
			DiskKB: numberAfter(text, "Disk Usage: ")}
	case "Rows Removed by Filter", "Rows Removed by Join Filter", "Rows Removed by Index Recheck":
		n.Removed += leadingNumber(val)
	case "Heap Fetches":
		v := leadingNumber(val)
		n.Fetches = &v
	case "Index Searches":
		v := leadingNumber(val)
		n.Searches = &v
	case "Heap Blocks":
		n.Exact, n.Lossy = numberAfter(val, "exact="), numberAfter(val, "lossy=")
	case "Storage":
		n.Storage, _, _ = strings.Cut(val, "  ")
	case "Hits":
		n.Memoize = &Memoize{Hits: leadingNumber(val), Misses: numberAfter(text, "Misses: "),
			Evictions: numberAfter(text, "Evictions: ")}
	}
}

func (w *Worker) property(text string) {
	name, val, _ := strings.Cut(text, ": ")
	switch name {
	case "Buffers":
		w.Buffers = buffers(val)
	case "Sort Method":
		w.Sort = sortOf(val)
	}
}

// sortOf reads "external merge  Disk: 1234kB".
func sortOf(val string) *Sort {
	method, rest, _ := strings.Cut(val, "  ")
	s := &Sort{Method: strings.TrimSpace(method), Disk: strings.Contains(rest, "Disk: ")}
	_, kb, _ := strings.Cut(rest, ": ")
	s.KB = leadingNumber(kb)
	return s
}

// hashOf reads "Buckets: 65536 (originally 1024)  Batches: 4 (originally 1)  Memory Usage: 4097kB".
func hashOf(text string) *Hash {
	h := &Hash{Buckets: numberAfter(text, "Buckets: "), Batches: numberAfter(text, "Batches: "),
		MemoryKB: numberAfter(text, "Memory Usage: ")}
	h.Original = h.Batches
	if _, rest, ok := strings.Cut(text, "Batches: "); ok {
		rest, _, _ = strings.Cut(rest, "  ")
		if o := numberAfter(rest, "(originally "); o > 0 {
			h.Original = o
		}
	}
	return h
}

// buffers reads "shared hit=1 read=2, local hit=3, temp read=4 written=5".
func buffers(val string) *Buffers {
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
