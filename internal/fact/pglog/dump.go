package pglog

import "bytes"

// Context is one memory context of a dump.
type Context struct {
	Name  string
	Ident string // what it is for; of a cached plan the text of its query
	Depth int    // TopMemoryContext: 0
	Total int64  // own bytes
	Free  int64
	Used  int64
	Below int64 // own bytes and those of all contexts below
	More  int64 // it stands for that many contexts that the server summed up
}

// Dump is what a backend wrote of its memory contexts: on standard error when it
// met «out of memory», without any prefix, or to the log when it was asked to.
type Dump struct {
	PID      int  // 0: an unasked dump does not tell
	Asked    bool // by pg_log_backend_memory_contexts
	Contexts []Context
	Left     int   // contexts beyond those kept
	LeftSize int64 // their bytes
	Total    int64 // «Grand total», else what was added up
	Used     int64
	Whole    bool // it ended with its grand total
	Mixed    bool // another dump began before it ended: the two cannot be told apart
}

const (
	// maxContexts is what is kept of one dump: the server writes at most 100
	// children of each context, and backends with 4,000 are rare.
	maxContexts = 4096
	// maxName and maxIdent bound what is kept of a context's words.
	maxName  = 64
	maxIdent = 1024
	// maxDepth is deeper than contexts nest.
	maxDepth = 200
)

// dumper gathers one dump.
type dumper struct {
	cur   *Dump
	first int // level of the first context: 0 until 17, 1 since 18
}

// line takes a line without prefix: a finished dump, and whether the line was of one.
func (d *dumper) line(b []byte) (*Dump, bool) {
	indent := span(b, func(c byte) bool { return c == ' ' })
	c, ok := context(b[indent:], indent/2)
	if !ok {
		return nil, false
	}
	if c.Name == "Grand total" {
		if d.cur == nil {
			d.cur = &Dump{}
		}
		d.cur.Total, d.cur.Used, d.cur.Whole = c.Total, c.Used, true
		return d.end(), true
	}
	var before *Dump
	if c.Depth == 0 && c.Name == "TopMemoryContext" && d.cur != nil {
		d.cur.Mixed = true
		before = d.end()
		d.cur = &Dump{Mixed: true}
	}
	d.add(c)
	return before, true
}

// entry takes «level: 1; NAME: …» and what stands around it.
func (d *dumper) entry(e *Entry) *Dump {
	m := e.Message
	if rest, ok := bytes.CutPrefix(m, []byte("logging memory contexts of PID ")); ok {
		pid, _ := leadingNumber(rest)
		d.cur, d.first = &Dump{PID: int(pid), Asked: true}, -1
		return nil
	}
	if d.cur == nil || e.PID != 0 && e.PID != d.cur.PID {
		return nil
	}
	if rest, ok := bytes.CutPrefix(m, []byte("level: ")); ok {
		level, n := leadingNumber(rest)
		if n == 0 || level > maxDepth || !bytes.HasPrefix(rest[n:], []byte("; ")) {
			return nil
		}
		if d.first < 0 {
			d.first = int(level)
		}
		if c, ok := context(rest[n+2:], max(int(level)-d.first, 0)); ok {
			d.add(c)
		}
		return nil
	}
	if bytes.HasPrefix(m, []byte("Grand total: ")) {
		if c, ok := context(m, 0); ok {
			d.cur.Total, d.cur.Used, d.cur.Whole = c.Total, c.Used, true
			return d.end()
		}
	}
	return nil
}

func (d *dumper) add(c Context) {
	if d.cur == nil {
		d.cur = &Dump{}
	}
	if len(d.cur.Contexts) >= maxContexts {
		d.cur.Left++
		d.cur.LeftSize += c.Total
		return
	}
	d.cur.Contexts = append(d.cur.Contexts, c)
}

// end finishes the dump at hand: the sums of the subtrees.
func (d *dumper) end() *Dump {
	out := d.cur
	d.cur = nil
	if out == nil {
		return nil
	}
	var sum int64
	open := make([]int, 0, 16)
	cs := out.Contexts
	for i := range cs {
		cs[i].Below = cs[i].Total
		sum += cs[i].Total
		for len(open) > 0 && cs[open[len(open)-1]].Depth >= cs[i].Depth {
			open = open[:len(open)-1]
		}
		for _, k := range open {
			cs[k].Below += cs[i].Total
		}
		open = append(open, i)
	}
	if !out.Whole {
		out.Total = sum + out.LeftSize
	}
	return out
}

// context reads «NAME: N total in N blocks; N free (N chunks); N used: IDENT», and
// of a generation or bump context «N total in N blocks (N chunks); …», of what was
// left out «N more child contexts containing N total …», of the sum «N bytes in …».
func context(b []byte, depth int) (c Context, ok bool) {
	if depth > maxDepth {
		return c, false
	}
	c.Depth = depth
	mark := bytes.Index(b, []byte(" total in "))
	if mark < 0 {
		if !bytes.HasPrefix(b, []byte("Grand total: ")) {
			return c, false
		}
		if mark = bytes.Index(b, []byte(" bytes in ")); mark < 0 {
			return c, false
		}
	}
	from := mark
	for from > 0 && isDigit(b[from-1]) {
		from--
	}
	var n int
	if c.Total, n = leadingNumber(b[from:mark]); n == 0 || from == 0 {
		return c, false
	}
	name := b[:from]
	switch {
	case bytes.HasSuffix(name, []byte(" more child contexts containing ")):
		if c.More, n = leadingNumber(name); n == 0 {
			return c, false
		}
		c.Name = "more child contexts"
	case bytes.HasSuffix(name, []byte(": ")):
		name = name[:len(name)-2]
		c.Name = string(name[:min(len(name), maxName)])
	default:
		return c, false
	}
	rest := b[mark:]
	i := bytes.Index(rest, []byte("; "))
	if i < 0 {
		return c, false
	}
	rest = rest[i+2:]
	if c.Free, n = leadingNumber(rest); n == 0 {
		return c, false
	}
	if i = bytes.Index(rest, []byte("; ")); i < 0 {
		return c, false
	}
	rest = rest[i+2:]
	if c.Used, n = leadingNumber(rest); n == 0 || !bytes.HasPrefix(rest[n:], []byte(" used")) {
		return c, false
	}
	if ident, ok := bytes.CutPrefix(rest[n+5:], []byte(": ")); ok {
		c.Ident = string(ident[:min(len(ident), maxIdent)])
	}
	return c, true
}
