package pglog

import (
	"bytes"
	"strings"
)

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
	one    bool // one space stands behind its labels
	small  bool // a paste, not a log: what goes on without a mark is of the line before
	widest int  // line of it
	last   int  // width of the line before
	fold   int  // width at which a letter was folded between words; 0: it was not
	gap    bool // an empty line is before the line
	airy   bool // an empty line is between all of its lines, and says nothing
	lead   leading
	paste  []byte // the whole of it
	bald   bool   // no line of a paste has a label behind a prefix: messages without a label may be of the log too
	naked  bool   // the message at hand had none
	code   bool   // a backtick before a label has opened inline code
	json   *jsonReader
}

func readStderr(in *lines, head []byte, o Options, out *counter) {
	r := &plainReader{out: out, only: o.DumpsOnly}
	src := out.src
	if o.Known && (!o.Doubt || fits(newPrefix(o.Prefix), head)) {
		r.prefix, src.How, r.sure, r.one = newPrefix(o.Prefix), o.How, true, oneSpace(head)
		r.prefix.one = r.one
	} else {
		r.prefix, src.How, r.one = infer(head)
	}
	if r.prefix != nil {
		src.Prefix = r.prefix.spec
		if src.How == "inferred" { // blanks before it are the indent of a page
			src.Prefix = strings.TrimLeft(src.Prefix, " \t")
			if guess(src.Prefix) {
				src.Prefix, src.How = "", "guessed"
			}
		}
	}
	r.small = in.eof && len(head) < headSize
	if r.small {
		r.widest, r.airy, src.Shmmax = widest(head), airy(head), shmmax(head)
		lead := r.prefix != nil && r.prefix.bare
		r.lead, r.bald = leading{open: lead, bare: lead}, !r.sure && bald(head, r.one)
		r.lead.client = lead && clientTalk(r.prefix, head)
		if lead || r.bald {
			r.paste = bytes.Clone(head)
		}
		if strings.Contains(src.Wrapped, "quoted") {
			r.fold = letter(head)
		}
	}
	for {
		line, ok := in.next()
		if !ok {
			break
		}
		r.line(line, in.count, in.cut)
	}
	r.end()
	if r.small && !r.only && src.Entries == 0 {
		if driverErrors(r.paste, out); src.Entries == 0 {
			thrown(r.paste, out)
		}
	}
}

// over hands on the entry at hand. One of a refused allocation ends the dump of its session: those of 9.5 and earlier
// have no grand total.
func (r *plainReader) over() {
	// The context of errors is the last but for the total.
	closed := func(c []Context) bool { return r.small && len(c) > 0 && c[len(c)-1].Name == "ErrorContext" }
	if d := r.dumps.cur; d != nil && (r.have && hasPrefix(r.store[partMessage], "out of memory") ||
		!r.have && closed(d.Contexts)) {
		if d := r.dumps.end(); d != nil {
			r.out.sink.Dump(d)
		}
	}
	r.flush()
}

// end hands on what is open.
func (r *plainReader) end() {
	r.over()
	if d := r.dumps.end(); d != nil {
		r.out.sink.Dump(d)
	}
}

func (r *plainReader) line(line []byte, number int64, cut bool) {
	if len(line) == 0 {
		r.gap, r.code = true, false // inline code ends with its paragraph
		return
	}
	before, gap := r.last, r.gap && !r.airy
	r.gap = false
	r.last = len(line)
	if r.small {
		var closed bool
		if line, closed = r.inline(line); closed {
			defer func() { r.at = partNone }()
		}
	}
	if line[0] == '{' && bytes.Contains(line, ownObject) {
		if r.json == nil {
			r.json = &jsonReader{out: r.out}
		}
		r.flush()
		if !r.json.next(line, number, cut) {
			r.out.src.Stray++
		}
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
	if r.small {
		if i := bytes.Index(line, []byte("..LOG:  ")); i > 0 && hasLabel(line[:i]) { // pg_ctl's dots between two
			r.line(bytes.TrimRight(line[:i], "."), number, false)
			line = line[i+2:]
		}
	}
	l, rest, ok := r.take(line)
	if !ok {
		if !r.bald || !r.untagged(line, number, cut) {
			r.without(line, before, gap)
		}
		return
	}
	if l.part == partMessage && len(rest) > 7 && rest[5] == ':' && rest[6] == ' ' && isState(rest[:5]) &&
		len(r.f.state) == 0 { // log_error_verbosity = verbose
		r.f.state, rest = rest[:5], rest[7:]
	}
	r.labelled(l, rest, number, cut)
}

// ownObject is in each line of jsonlog.
var ownObject = []byte(`"error_severity":"`)

// widest is the longest line of a head with a label.
func widest(head []byte) (n int) {
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		if len(line) > n && hasLabel(line) {
			n = len(line)
		}
	}
	return n
}

// guess says whether a prefix that was built of the lines has words of them in it that no person would have put there:
// it reads the lines, but is not what SHOW log_line_prefix tells.
func guess(spec string) bool {
	word := 0
	for i := 0; i < len(spec); i++ {
		c := spec[i]
		switch {
		case c == '%' && i+1 < len(spec):
			i++
			word = 0
		case c == '=':
			word = 0
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			if word++; word > 2 && !strings.Contains(spec[i:], "=%") && !strings.Contains(spec[i:], "= %") {
				return true
			}
		default:
			word = 0
		}
	}
	return strings.Count(spec, "%l") > 1
}

// labelled takes what stands behind a label; r.f is what stands before it.
func (r *plainReader) labelled(l label, rest []byte, number int64, cut bool) {
	if l.part == partMessage {
		r.over()
		r.naked = false
		r.begin(l, number)
		r.add(partMessage, rest, false)
	} else if r.have && (r.f.pid == 0 || r.f.pid == r.cur.PID || r.goesOn(l)) {
		r.add(l.part, rest, false)
		if l.foreign() {
			r.cur.word = l.language
		}
	} else if m, s := messageOf(l, rest); m != "" && r.small && !r.have && r.out.src.Entries == 0 {
		r.begin(label{part: partMessage, severity: s}, number)
		r.add(partMessage, []byte(m), false)
		r.add(l.part, rest, false)
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
	if r.small && len(line) > 0 && (line[0] == '.' || line[0] == '[' || line[0] == '(' || line[0] == 0xe2) {
		line = leftOut(line)
	}
	if r.prefix != nil {
		if l, rest, ok := r.prefix.match(line, &r.f); ok || r.sure {
			r.lead.open = r.lead.open && !ok
			return l, rest, ok
		}
	}
	if r.lead.open {
		if l, rest, ok := r.bare(line); ok {
			return l, rest, ok
		}
	}
	i := findLabel(line)
	if i < 0 && r.one {
		i = findOne(line)
	}
	if i < 0 {
		return label{}, nil, false
	}
	if at := seek(line, i); at > 0 {
		if r.prefix != nil {
			if l, rest, ok := r.prefix.match(line[at:], &r.f); ok {
				r.lead.open = false
				return l, rest, ok
			}
		}
	}
	l, rest, ok := labelled(line[i:], false, r.one)
	r.f = loose(line[:i])
	return l, rest, ok && (r.prefix == nil || r.f.timed || r.bald && console(line[:i]))
}

// console says whether what stands before a label is of a terminal: a prompt, or the dots of pg_ctl.
func console(before []byte) bool {
	before = bytes.TrimRight(before, " ")
	return bytes.HasSuffix(before, []byte("..")) || bytes.HasSuffix(before, []byte("$")) ||
		bytes.HasSuffix(before, []byte("#")) || bytes.HasSuffix(before, []byte(">"))
}

// loose looks for a time, a process and what has a key of its own in what stands before a label.
func loose(b []byte) (f fields) {
	at := 0
	for ; at < len(b); at++ {
		us, n := clock(b[at:])
		if n == 0 && at == 0 {
			if us, n = epoch(b); n > 0 {
				f.zone = utc
			} else {
				us, n = dayFirst(b)
			}
		}
		if n == 0 {
			continue
		}
		f.time, f.timed = us, true
		if at += n; at < len(b) && b[at] == ' ' {
			f.zone = zone(b[at+1:])
			at += 1 + len(f.zone)
		}
		break
	}
	if !f.timed {
		at = 0
	}
	f.keys(b)
	if s, before := stateBehind(b); len(f.state) == 0 && s != nil {
		f.state, b = s, before
		at = min(at, len(b))
	}
	if f.pid == 0 {
		f.pid = bracketed(b)
	}
	for rest := b[at:]; len(rest) > 0 && f.pid == 0; {
		if _, n := clock(rest); n > 0 { // of the session's start
			rest = rest[n:]
			continue
		}
		if n := port(rest); n > 0 {
			rest = rest[n:]
			continue
		}
		n := span(rest, wordByte)
		if v, k := leadingNumber(rest[:n]); k == n && k > 0 && k <= 10 {
			f.pid = int(v)
			break
		}
		rest = rest[max(n, 1):]
	}
	return f
}

// keys takes «pid="123"» and the like.
func (f *fields) keys(b []byte) {
	for {
		i := bytes.IndexByte(b, '=')
		if i < 0 {
			return
		}
		key := bytes.TrimRight(b[:i], " ")
		from := len(key)
		for from > 0 && wordByte(key[from-1]) {
			from--
		}
		b = bytes.TrimLeft(b[i+1:], " ")
		n := bytes.IndexAny(b, " ,;|")
		if len(b) > 0 && b[0] == '"' {
			b = b[1:]
			n = bytes.IndexByte(b, '"')
		}
		if n < 0 {
			n = len(b)
		}
		switch v := b[:n]; strings.ToLower(string(key[from:])) {
		case "pid":
			if p, k := leadingNumber(v); k == len(v) && k > 0 && k <= 10 {
				f.pid = int(p)
			}
		case "user":
			f.set('u', v)
		case "db", "database":
			f.set('d', v)
		case "app", "application_name":
			f.set('a', v)
		case "client", "host", "connection_source":
			f.set('r', v)
		case "sql_error_code", "sqlstate", "statecode":
			if isState(v) {
				f.state = v
			}
		}
		b = b[n:]
	}
}

// without takes a line that has no prefix.
func (r *plainReader) without(line []byte, before int, gap bool) {
	d, is := r.dumps.line(line)
	if !is && bytes.Contains(line, killWord) && oomKill.Match(line) {
		if r.out.src.Stray++; len(r.out.src.Killed) < maxFaults {
			r.out.src.Killed = append(r.out.src.Killed, string(bytes.TrimSpace(line[:min(len(line), maxFault)])))
		}
		return
	}
	if !is && r.small && cutTime(line) {
		r.out.src.Stray++
		r.at = partNone
		return
	}
	if !is && kernelFault.Match(line) {
		if r.out.src.Stray++; len(r.out.src.Faults) < maxFaults {
			r.out.src.Faults = append(r.out.src.Faults, string(bytes.TrimSpace(line[:min(len(line), maxFault)])))
		}
		return
	}
	if !is {
		// A paste has lost its tabs, or a terminal has folded it.
		if r.small && r.have && r.at != partNone {
			indent := span(line, func(c byte) bool { return c == ' ' })
			text := line[indent:]
			if r.at == partDetail && ofDeadlock(text) && ofDeadlock(r.store[partDetail]) {
				r.add(partDetail, text, true)
				return
			}
			if r.fold > 0 && !gap && r.folded(text, before) {
				r.join(append([]byte{' '}, text...))
				return
			}
			clause := r.inStatement() && clauses[string(bytes.ToUpper(text[:span(text, wordByte)]))]
			// No terminal puts an empty line into one that it folds: behind that the words of the person go on.
			folded := !gap && before >= minFold && 10*before >= 8*r.widest && !bytes.HasPrefix(text, fence) &&
				!apart(text)
			inner := !gap && (indent >= minIndent && !listed(text) || r.reports(text))
			if len(text) > 0 && (indent >= 4 || clause || folded || inner) {
				if indent > 0 || clause || inner {
					r.add(r.at, text, true)
				} else {
					r.join(text)
				}
				return
			}
		}
		r.out.src.Stray++
		if r.lead.client && r.lead.open {
			return
		}
		if r.one || len(r.prefixSteps()) == 0 || !client(line) {
			r.out.unread(line)
		}
		if gap {
			r.at = partNone
		}
		return
	}
	// What came before is over: its message must not come after the dump, which
	// belongs to the next «out of memory».
	r.flush()
	if d != nil {
		r.out.sink.Dump(d)
	}
}

// prefixSteps are those of the prefix; none where there is no prefix.
func (r *plainReader) prefixSteps() []step {
	if r.prefix == nil {
		return nil
	}
	return r.prefix.steps
}

// client says whether a line begins with a label and one space: among lines with a prefix it is of a client, such as
// «FATAL: query execution failed» of sysbench.
func client(line []byte) bool { return findLabel(line) < 0 && findOne(line) == 0 }

// minIndent is how many blanks a page makes of a tab at least.
const minIndent = 2

// listed says whether a text is of a list or behind a prompt, and so of a person.
func listed(text []byte) bool {
	for _, mark := range []string{"- ", "* ", "• ", "> ", "$ ", "# "} {
		if bytes.HasPrefix(text, []byte(mark)) {
			return true
		}
	}
	n := span(text, isDigit)
	return n > 0 && n < 3 && n+1 < len(text) && (text[n] == '.' || text[n] == ')') && text[n+1] == ' '
}

// reports says whether a line is one of the report of a vacuum or an analyze, which is the message at hand: a page may
// have taken away all that stood before it.
func (r *plainReader) reports(text []byte) bool {
	if m := r.store[partMessage]; r.at != partMessage || !hasPrefix(m, "automatic ") && !hasPrefix(m, "finished ") {
		return false
	}
	for _, words := range ofVacuum {
		if hasPrefix(text, words) {
			return true
		}
	}
	return false
}

// ofVacuum is how the lines of such a report begin, behind the first.
var ofVacuum = []string{"pages: ", "tuples: ", "removable cutoff: ", "new relfrozenxid: ", "new relminmxid: ",
	"frozen: ", "visibility map: ", "index scan ", "index \"", "avg read rate: ", "buffer usage: ", "WAL usage: ",
	"system usage: ", "I/O timings: ", "delay time: ", "memory usage: ", "parallel workers: ", "finished analyzing ",
	"CPU "}

// fence ends a log on a page.
var fence = []byte("```")

// airy says whether a page has put an empty line behind each of its lines.
func airy(head []byte) bool {
	var empty, full, close, labels, together int
	before, labelled := false, false
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		if len(bytes.TrimSpace(line)) == 0 {
			empty++
			before, labelled = false, false
			continue
		}
		full++
		if before { // right behind another
			close++
		}
		before = true
		is := hasLabel(line)
		if is {
			labels++
			if labelled {
				together++
			}
		}
		labelled = is
	}
	// Where half of the entries stand together, the empty lines are of the words around them.
	return 2*empty >= full && 4*close <= full && (labels < 2 || 2*together < labels-1)
}

// maxFold is as wide as letters are.
const maxFold = 80

// letter is the width at which the lines of a letter were folded; 0 where a line is wider than any letter's.
func letter(head []byte) (n int) {
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		n = max(n, len(line))
	}
	if n > maxFold {
		return 0
	}
	return n
}

// folded says whether a line of a letter goes on with the one before it: its first word had no room there, or
// the statement is not at its end.
func (r *plainReader) folded(text []byte, before int) bool {
	word := bytes.IndexByte(text, ' ')
	if word < 0 {
		word = len(text)
	}
	if before+1+word > r.fold {
		return true
	}
	if !r.inStatement() {
		return false
	}
	so := bytes.TrimRight(r.store[r.at], " ")
	if len(so) > 0 && (so[len(so)-1] == ',' || so[len(so)-1] == '(' || so[len(so)-1] == '=') {
		return true
	}
	return unfinished[string(bytes.ToUpper(so[bytes.LastIndexByte(so, ' ')+1:]))]
}

// unfinished are words that no statement ends with.
var unfinished = map[string]bool{"SELECT": true, "FROM": true, "WHERE": true, "BY": true, "AND": true, "OR": true,
	"JOIN": true, "ON": true, "SET": true, "INTO": true, "VALUES": true, "AS": true, "IN": true, "HAVING": true,
	"LIMIT": true, "UNION": true, "TABLE": true, "INDEX": true, "UPDATE": true, "DELETE": true, "INSERT": true}

// inStatement says whether the part that was read last is the text of a statement.
func (r *plainReader) inStatement() bool {
	return r.at == partStatement ||
		r.at == partDetail && bytes.HasPrefix(r.store[r.at], []byte(running))
}

// clauses are words that a line in the midst of a statement begins with, and hardly one of prose.
var clauses = map[string]bool{"SELECT": true, "FROM": true, "WHERE": true, "GROUP": true, "ORDER": true,
	"HAVING": true, "LIMIT": true, "OFFSET": true, "UNION": true, "JOIN": true, "LEFT": true, "INNER": true,
	"VALUES": true, "RETURNING": true}

// leftOut takes off the mark of what a page has left out before a line.
func leftOut(line []byte) []byte {
	for _, mark := range []string{"…", "...", "[...]", "[…]", "(...)", "(…)"} {
		if rest, ok := bytes.CutPrefix(line, []byte(mark)); ok {
			return bytes.TrimLeft(rest, " ")
		}
	}
	return line
}

// minFold is as narrow as a terminal that folds lines is.
const minFold = 70

// join goes on with a part in the middle of a word or of a line, as a terminal has folded it.
func (r *plainReader) join(b []byte) {
	s := bytes.TrimRight(r.store[r.at], " ")
	if n := maxField - len(s); len(b) > n {
		b, r.cur.Cut = b[:max(n, 0)], true
	}
	r.store[r.at] = append(s, b...)
}

func (r *plainReader) begin(l label, number int64) {
	f := &r.f
	r.names = r.names[:0]
	r.cur = Entry{Time: f.time, Timed: f.timed, PID: f.pid, Severity: l.severity, word: l.language, Line: number}
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
	r.store[partMessage] = bytes.TrimRight(r.store[partMessage], " \n")
	if e.Severity >= Warning { // a warning has one if a crash elsewhere ends a backend that parses
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
