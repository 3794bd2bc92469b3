package pglog

import "bytes"

// plainReader puts the lines of a plain log together. A line that begins with a
// tab continues the part before it; the server writes it so. One without a prefix
// is of a memory-context dump, or of a program that writes to the same place.
type plainReader struct {
	prefix *prefix // nil: none fits, lines are taken by their labels
	sure   bool    // the prefix was given; one that was inferred may have one session's names for its own words
	out    *counter
	cur    Entry
	have   bool
	store  [9][]byte // by part: what is kept of each, reused
	names  []byte    // the names of the prefix, which outlive their line
	at     part      // that the last line belongs to
	dumps  dumper
	only   bool
	f      fields
}

func readStderr(in *lines, head []byte, o Options, out *counter) {
	r := &plainReader{out: out, only: o.DumpsOnly}
	src := out.src
	if o.Known && (!o.Doubt || fits(newPrefix(o.Prefix), head)) {
		r.prefix, src.How, r.sure = newPrefix(o.Prefix), o.How, true
	} else {
		r.prefix, src.How = infer(head)
	}
	if r.prefix != nil {
		src.Prefix = r.prefix.spec
	}
	for {
		line, ok := in.next()
		if !ok {
			break
		}
		r.line(line, in.count, in.cut)
	}
	r.end()
}

// end hands on what is open.
func (r *plainReader) end() {
	r.flush()
	if d := r.dumps.end(); d != nil {
		r.out.sink.Dump(d)
	}
}

func (r *plainReader) line(line []byte, number int64, cut bool) {
	if len(line) == 0 {
		return
	}
	if line[0] == '\t' {
		if r.have && r.at != partNone {
			r.add(r.at, line[1:], true)
			r.cur.Cut = r.cur.Cut || cut
		} else {
			r.out.src.Stray++
		}
		return
	}
	l, rest, ok := r.take(line)
	if !ok {
		r.without(line)
		return
	}
	r.labelled(l, rest, number, cut)
}

// labelled takes what stands behind a label; r.f is what stands before it.
func (r *plainReader) labelled(l label, rest []byte, number int64, cut bool) {
	if l.part == partMessage {
		r.flush()
		r.begin(l, number)
		r.add(partMessage, rest, false)
	} else if r.have && (r.f.pid == 0 || r.f.pid == r.cur.PID) {
		r.add(l.part, rest, false)
		r.cur.Foreign = r.cur.Foreign || l.foreign
	} else {
		r.at = partNone
		r.out.src.Stray++
		return
	}
	r.at = l.part
	r.cur.Cut = r.cur.Cut || cut
}

// take matches the prefix. Where none is known to fit, a label of the lists makes
// a line; where one was inferred and does not fit this line, a time at the
// beginning and a label do.
func (r *plainReader) take(line []byte) (label, []byte, bool) {
	if r.prefix != nil {
		if l, rest, ok := r.prefix.match(line, &r.f); ok || r.sure {
			return l, rest, ok
		}
	}
	i := findLabel(line)
	if i < 0 {
		return label{}, nil, false
	}
	l, rest, ok := labelled(line[i:], false)
	r.f = loose(line[:i])
	return l, rest, ok && (r.prefix == nil || r.f.timed)
}

// loose looks for a time and a process in what stands before a label: the time
// first, but for a bracket or the like, then the first whole number.
func loose(b []byte) (f fields) {
	at := span(b, func(c byte) bool { return !isDigit(c) })
	if at > 8 || at == len(b) { // it begins with a name
		at = 0
	}
	us, n := clock(b[at:])
	if n > 0 {
		f.time, f.timed = us, true
		if at += n; at < len(b) && b[at] == ' ' {
			f.zone = zone(b[at+1:])
			at += 1 + len(f.zone)
		}
	} else if us, n = epoch(b[at:]); n > 0 {
		f.time, f.timed = us, true
		at += n
	}
	for rest := b[at:]; len(rest) > 0; {
		n := span(rest, wordByte)
		if v, k := leadingNumber(rest[:n]); k == n && k > 0 && k <= 10 {
			f.pid = int(v)
			break
		}
		rest = rest[max(n, 1):]
	}
	return f
}

// without takes a line that has no prefix.
func (r *plainReader) without(line []byte) {
	d, is := r.dumps.line(line)
	if !is {
		r.out.src.Stray++
		return
	}
	// What came before is over: its message must not come after the dump, which
	// belongs to the next «out of memory».
	r.flush()
	if d != nil {
		r.out.sink.Dump(d)
	}
}

func (r *plainReader) begin(l label, number int64) {
	f := &r.f
	r.names = r.names[:0]
	r.cur = Entry{Time: f.time, Timed: f.timed, PID: f.pid, Severity: l.severity, Foreign: l.foreign, Line: number}
	// One buffer holds all names: it has room for them, so that no append moves it.
	if need := len(f.zone) + len(f.state) + len(f.user) + len(f.db) + len(f.app) + len(f.host) +
		len(f.be); cap(r.names) < need {
		r.names = make([]byte, 0, 2*need)
	}
	keep := func(b []byte) []byte {
		if len(b) == 0 {
			return nil
		}
		from := len(r.names)
		r.names = append(r.names, b...)
		return r.names[from:len(r.names):len(r.names)]
	}
	r.cur.Zone, r.cur.State, r.cur.User, r.cur.Database = keep(f.zone), keep(f.state), keep(f.user), keep(f.db)
	r.cur.App, r.cur.Host, r.cur.Backend = keep(f.app), keep(f.host), keep(f.be)
	for i := range r.store {
		r.store[i] = r.store[i][:0]
	}
	r.have = true
}

// add keeps a part of an entry, up to maxField bytes.
func (r *plainReader) add(p part, b []byte, more bool) {
	s := r.store[p]
	if more && len(s) < maxField {
		s = append(s, '\n')
	}
	room := maxField - len(s)
	if len(b) > room {
		b = b[:max(room, 0)]
		r.cur.Cut = true
	}
	r.store[p] = append(s, b...)
}

// flush hands the entry at hand on.
func (r *plainReader) flush() {
	if !r.have {
		return
	}
	r.have = false
	r.at = partNone
	if r.only {
		return
	}
	e := &r.cur
	if e.Severity >= Error {
		r.store[partMessage] = withoutPosition(r.store[partMessage])
	}
	e.Message, e.Detail, e.Hint, e.Context, e.Statement = r.store[partMessage], r.store[partDetail], r.store[partHint],
		r.store[partContext], r.store[partStatement]
	r.out.entry(e)
}

// withoutPosition takes away « at character N», which the other formats have in a
// column of its own.
func withoutPosition(m []byte) []byte {
	const words = " at character "
	n := len(m)
	for n > 0 && isDigit(m[n-1]) {
		n--
	}
	if n < len(m) && bytes.HasSuffix(m[:n], []byte(words)) {
		return m[:n-len(words)]
	}
	return m
}
