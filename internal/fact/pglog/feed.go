package pglog

import "bytes"

// Feed takes the lines of servers one by one, out of a log in which others write
// too: the kernel, systemd, or who pasted it into a letter. Each line may be in
// another format than the one before; no prefix is known, and a paste may have
// lost tabs and one of two spaces.
type Feed struct {
	src    Source
	csv    csvReader
	json   jsonReader
	plain  plainReader
	number int64
	record int  // lines of the csvlog record that is open
	bare   bool // the last plain line had no prefix at all
	timed  bool // the entry that was begun last has a time
	more   int  // lines without prefix or tab that may still go on with it
}

const (
	// maxRecordLines ends a record of csvlog whose closing quote does not come: a
	// statement of so many lines is rarer than a quote that was lost.
	maxRecordLines = 10_000
	// doubtLines is after how many a line that begins a record does so.
	doubtLines = 1000
	// maxBare is how many lines a statement goes on for where nothing marks them.
	maxBare = 50
)

// NewFeed returns one that hands on to the sink.
func NewFeed(sink Sink) *Feed {
	f := &Feed{}
	out := &counter{src: &f.src, sink: sink}
	f.csv.out, f.json.out, f.plain.out = out, out, out
	return f
}

// Line takes a line, without its end, that is one of a server or goes on with one;
// taken is false for all others. begun says that it begins an entry. pid is the
// process that wrote it, where whatever brought the line tells; else 0.
func (f *Feed) Line(b []byte, pid int) (taken, begun bool) {
	f.number++
	cut := len(b) > maxLine
	b = b[:min(len(b), maxLine)]
	if f.csv.inside && f.record < maxRecordLines && !(f.record > doubtLines && csvStart(b)) {
		f.record++
		f.csv.next(b, f.number, cut)
		return true, false
	}
	f.csv.end()
	switch {
	case len(b) == 0:
		return false, false
	case b[0] == '{':
		ok := bytes.Contains(b, []byte(`"error_severity"`)) && f.json.next(b, f.number, cut)
		f.timed = true
		return ok, ok
	case b[0] == '\t':
		if !f.plain.have || f.plain.at == partNone {
			return false, false
		}
		f.plain.line(b, f.number, cut)
		return true, false
	case csvStart(b):
		f.record, f.timed = 1, true
		f.csv.next(b, f.number, cut)
		return true, true
	}
	if l, before, rest, ok := wherever(b); ok {
		f.plain.f = loose(before)
		if n := bracketed(before); n > 0 {
			f.plain.f.pid = n
		} else if pid > 0 {
			f.plain.f.pid = pid
		}
		// log_error_verbosity = verbose
		if l.part == partMessage && len(rest) > 7 && isState(rest[:5]) && rest[5] == ':' && rest[6] == ' ' {
			f.plain.f.state, rest = rest[:5], rest[7:]
		}
		f.bare, f.more = len(bytes.TrimSpace(before)) == 0, maxBare
		f.plain.labelled(l, rest, f.number, cut)
		f.timed = f.plain.f.timed
		return true, l.part == partMessage
	}
	if d, ok := f.plain.dumps.line(b); ok {
		f.plain.flush()
		if d != nil {
			f.plain.out.sink.Dump(d)
		}
		return true, false
	}
	if at := f.plain.at; f.bare && f.more > 0 && f.plain.have && (at == partStatement ||
		at == partDetail && f.plain.cur.Severity == Log) && len(bytes.TrimSpace(b)) > 0 {
		f.more--
		f.plain.add(at, b, true)
		return true, false
	}
	return false, false
}

// Timed says whether the entry that was begun last has a time of its own.
func (f *Feed) Timed() bool { return f.timed }

// End hands on what is open.
func (f *Feed) End() {
	f.csv.end()
	f.plain.end()
	f.bare, f.more = false, 0
}

// wherever finds a label behind any prefix, also one with a single space behind it.
func wherever(b []byte) (l label, before, rest []byte, ok bool) {
	if i := findLabel(b); i >= 0 {
		l, rest, ok = labelled(b[i:], false, false)
		return l, b[:i], rest, ok
	}
	head := b[:min(len(b), maxLabelAt)]
	for at := 0; ; {
		i := bytes.Index(head[at:], []byte(": "))
		if i < 0 {
			return l, nil, nil, false
		}
		end := at + i
		word := end
		for word > 0 && (head[word-1] >= 'A' && head[word-1] <= 'Z' || isDigit(head[word-1]) && word == end) {
			word--
		}
		if word < end && (word == 0 || !wordByte(head[word-1])) {
			if l, ok = labels()[string(head[word:end])]; ok && !l.foreign() && known(l) {
				return l, b[:word], text(b[end+1:]), true
			}
		}
		at = end + 2
	}
}

// bracketed is the first number in brackets, which in most prefixes is the process.
func bracketed(b []byte) int {
	for {
		i := bytes.IndexByte(b, '[')
		if i < 0 {
			return 0
		}
		b = b[i+1:]
		if v, n := leadingNumber(b); n > 0 && n <= 10 && n < len(b) && b[n] == ']' {
			return int(v)
		}
	}
}
