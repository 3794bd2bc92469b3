package pglog

import "bytes"

// The columns of csvlog that are kept. 13 has 24 columns (backend_type is the
// last), 14 and later 26; older servers have 23 or 22. They were only ever added
// at the end.
const (
	csvTime = iota
	csvUser
	csvDatabase
	csvPID
	csvFrom
	csvSeverity  = 11
	csvState     = 12
	csvMessage   = 13
	csvDetail    = 14
	csvHint      = 15
	csvContext   = 18
	csvStatement = 19
	csvApp       = 22
	csvBackend   = 23
	// csvMost is more columns than any version has.
	csvMost = 40
	// csvLeast are those up to the message: a record that a full disk or a crash
	// cut behind them still tells what happened.
	csvLeast = csvMessage + 1
)

var csvKept = [csvMost]bool{csvTime: true, csvUser: true, csvDatabase: true, csvPID: true, csvFrom: true,
	csvSeverity: true, csvState: true,
	csvMessage: true, csvDetail: true, csvHint: true, csvContext: true, csvStatement: true, csvApp: true,
	csvBackend: true, gpHost: true, gpSeverity: true, gpState: true, gpHint: true, gpStatement: true}

// The columns of the CSV log of Greenplum, which has some of its own before the severity. Its processes and threads are
// p1822 and th-2143479936. (gpdb: gpcontrib/gp_toolkit, external table __gp_log_segment_ext)
const (
	gpHost      = 5
	gpSeverity  = 16
	gpState     = 17
	gpMessage   = 18
	gpDetail    = 19
	gpHint      = 20
	gpContext   = 23
	gpStatement = 24
)

// greenplum puts the columns of a record of Greenplum where PostgreSQL has them.
func (r *csvReader) greenplum() {
	f := &r.field
	if r.gp = false; r.col <= gpMessage || len(f[csvPID]) < 2 || f[csvPID][0] != 'p' ||
		!bytes.HasPrefix(f[csvFrom], []byte("th")) {
		return
	}
	f[csvPID] = f[csvPID][1:]
	severity, state, message, detail, hint := f[gpSeverity], f[gpState], f[gpMessage], f[gpDetail], f[gpHint]
	statement, context, host := f[gpStatement], f[gpContext], f[gpHost]
	f[csvSeverity], f[csvState], f[csvMessage], f[csvDetail], f[csvHint] = severity, state, message, detail, hint
	f[csvContext], f[csvStatement], f[csvFrom] = context, statement, host
	f[csvApp], f[csvBackend] = nil, nil
	r.gp = true
}

// forked puts the columns of a record of another fork of PostgreSQL where PostgreSQL has them: what stands behind a
// word
// for the severity and a SQLSTATE is the message, the detail and the hint, with empty columns before it, and the
// process, such as p1822, has the role and the database before it.
func (r *csvReader) forked() {
	f := &r.field
	if len(f[csvSeverity]) > 0 && isState(f[csvState]) || !r.all {
		return
	}
	at := 0
	for i := csvFrom; i+2 < min(r.col, csvMost) && at == 0; i++ {
		if l, ok := labels()[string(f[i])]; ok && l.part == partMessage && isState(f[i+1]) {
			at = i
		}
	}
	text := at + 2
	for at > 0 && text < min(r.col, csvMost) && len(f[text]) == 0 {
		text++
	}
	if at == 0 || text+2 >= csvMost || text >= r.col {
		return
	}
	old := *f
	*f = [csvMost][]byte{csvTime: old[csvTime], csvSeverity: old[at], csvState: old[at+1], csvMessage: old[text],
		csvDetail: old[text+1], csvHint: old[text+2]}
	for i := csvUser; i < at; i++ {
		if p := old[i]; len(p) > 1 && p[0] == 'p' && span(p[1:], isDigit) == len(p)-1 && i >= 2 {
			f[csvUser], f[csvDatabase], f[csvPID], f[csvFrom] = old[i-2], old[i-1], p[1:], old[i+1]
			break
		}
	}
	r.gp = true
}

// csvStart says whether a line can be the first of a record: a time and a comma.
func csvStart(line []byte) bool {
	_, n := clock(line)
	if n == 0 || n >= len(line) || line[n] != ' ' {
		return false
	}
	z := zone(line[n+1:])
	n += 1 + len(z)
	return len(z) > 0 && n < len(line) && line[n] == ','
}

// leastCommas are in what is left of a record; prose has fewer.
const leastCommas = 4

// csvReader takes records line by line; a quoted field may hold line ends.
type csvReader struct {
	out    *counter
	field  [csvMost][]byte
	col    int
	inside bool // of quotes, at the end of the last line
	cut    bool
	gp     bool // the last record was one of Greenplum, or of another fork
	all    bool // all columns are kept: those of the records before were not PostgreSQL's
	line   int64
	e      Entry
}

func readCSV(in *lines, out *counter) {
	r := &csvReader{out: out, all: true}
	for {
		line, ok := in.next()
		if !ok {
			break
		}
		r.next(line, in.count, in.cut)
	}
	r.end()
}

// next takes a line of the log.
func (r *csvReader) next(line []byte, number int64, cut bool) {
	stray := &r.out.src.Stray
	if !r.inside {
		if !csvStart(line) {
			if len(line) > 0 {
				*stray++
				if bytes.Count(line, []byte{','}) >= leastCommas {
					r.out.src.Broken++
				}
			}
			return
		}
		r.reset(number)
	}
	if !r.take(line) {
		// Quotes do not pair: a record was cut before this line, which may
		// begin the next.
		r.inside = false
		*stray++
		r.out.src.Broken++
		if csvStart(line) {
			r.reset(number)
			if !r.take(line) {
				r.inside = false
			}
		}
	}
	if cut { // where its quotes end nobody can say
		if r.cut = true; r.inside {
			r.inside = false
			r.col++ // the field at hand ends here
		}
	}
	if !r.inside && r.col > 0 {
		r.emit()
	}
}

// end hands on what the last record has, if that tells something.
func (r *csvReader) end() {
	if r.inside && r.col >= csvMessage {
		r.cut = true
		// Where a quotation mark is missing, a column begins with the commas of those behind it, and has no end.
		if at := min(r.col, csvMost-1); bytes.HasPrefix(r.field[at], []byte{','}) {
			r.field[at] = r.field[at][:0]
		}
		r.col++
		r.emit()
	}
	r.inside = false
}

func (r *csvReader) reset(line int64) {
	if r.gp { // two columns have one text
		r.field = [csvMost][]byte{}
	}
	for i := range r.field {
		r.field[i] = r.field[i][:0]
	}
	r.col, r.inside, r.cut, r.line = 0, false, false, line
}

func (r *csvReader) keep(b []byte) {
	if r.col >= csvMost || !csvKept[r.col] && !r.all {
		return
	}
	have := r.field[r.col]
	if room := maxField - len(have); len(b) > room {
		b, r.cut = b[:max(room, 0)], true
	}
	r.field[r.col] = append(have, b...)
}

// take reads a line of a record; false: it makes no sense.
func (r *csvReader) take(b []byte) bool {
	if r.inside {
		r.keep([]byte{'\n'})
	}
	for {
		if r.inside || len(b) > 0 && b[0] == '"' {
			if !r.inside {
				b = b[1:]
			}
			for {
				i := bytes.IndexByte(b, '"')
				if i < 0 {
					r.keep(b)
					r.inside = true
					return true
				}
				if i+1 < len(b) && b[i+1] == '"' { // a quote within
					r.keep(b[:i+1])
					b = b[i+2:]
					r.inside = true
					continue
				}
				r.keep(b[:i])
				b = b[i+1:]
				break
			}
			r.inside = false
		} else {
			i := bytes.IndexByte(b, ',')
			if i < 0 {
				i = len(b)
			}
			r.keep(b[:i])
			b = b[i:]
		}
		r.col++
		if len(b) == 0 {
			return true
		}
		if b[0] != ',' || r.col >= csvMost {
			return false
		}
		b = b[1:]
	}
}

func (r *csvReader) emit() {
	if r.col < csvLeast {
		r.out.src.Stray++
		r.col = 0
		return
	}
	r.greenplum()
	r.forked()
	f := &r.field
	r.all = r.gp || len(f[csvSeverity]) == 0
	if len(f[csvSeverity]) == 0 { // no column is one
		r.out.src.Broken++
		r.col = 0
		return
	}
	e := &r.e
	*e = Entry{User: f[csvUser], Database: f[csvDatabase], Host: host(f[csvFrom]), State: f[csvState],
		Message: f[csvMessage], Detail: f[csvDetail],
		Hint: f[csvHint], Context: f[csvContext], Statement: f[csvStatement], App: f[csvApp], Backend: f[csvBackend],
		Line: r.line, Cut: r.cut}
	e.stamp(f[csvTime])
	e.Severity, e.word = severityOf(f[csvSeverity])
	if v, n := leadingNumber(f[csvPID]); n > 0 && n <= 10 {
		e.PID = int(v)
	}
	if !isState(e.State) {
		e.State = nil
	}
	r.col = 0
	r.out.entry(e)
}

// stamp sets the time of an entry from its text.
func (e *Entry) stamp(b []byte) {
	us, n := clock(b)
	if n == 0 {
		return
	}
	e.Time, e.Timed = us, true
	if n < len(b) && b[n] == ' ' {
		e.Zone = zone(b[n+1:])
	}
}
