// Package pglog reads what a PostgreSQL server wrote to its log: plain lines with
// any log_line_prefix, csvlog of 13 to 18, and jsonlog. It streams: one entry at a
// time is held, whatever the length of the log, and each part of it is bounded.
// It tells what happened (Kind) as far as the text or the SQLSTATE shows it; what
// that means is for judgement to say.
package pglog

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pglog/translated"
	"github.com/pgfettle/pgfettle/internal/fact/unwrap"
)

// Format is how a log is written.
type Format string

// The formats of log_destination that are files.
const (
	Stderr Format = "stderr"
	CSV    Format = "csvlog"
	JSON   Format = "jsonlog"
)

// Severity is the level of an entry, in the order of the server's own.
type Severity uint8

// The severities. NoSeverity is a word that is in no list of ours.
const (
	NoSeverity Severity = iota
	Debug
	Info
	Notice
	Log
	Warning
	Error
	Fatal
	Panic
)

// String returns the English word.
func (s Severity) String() string {
	return [...]string{"?", "DEBUG", "INFO", "NOTICE", "LOG", "WARNING", "ERROR", "FATAL", "PANIC"}[s]
}

// Entry is one message of the server with what belongs to it. Its slices are the
// reader's own and stand until the Sink returns. What the format or the prefix
// does not tell is empty.
type Entry struct {
	Time      int64  // microseconds since 1970 of the clock that Zone names
	Timed     bool   // Time was there
	Zone      []byte // "UTC", "CET", "+03"
	PID       int
	Severity  Severity
	Foreign   bool   // a word for the severity or a part of it, or the message, is not English
	Language  string // of the message, where it was found in a catalog: "ru", "pt_BR"
	Local     []byte // the message as it is in the log, where it was in another language; else nil
	word      string // the language of the words
	State     []byte // SQLSTATE, five characters
	User      []byte
	Database  []byte
	App       []byte
	Host      []byte // without the port
	Backend   []byte // backend_type
	Message   []byte // in English, where a catalog has it
	Detail    []byte
	Hint      []byte
	Context   []byte
	Statement []byte
	Line      int64 // number of the line that it begins at
	Cut       bool  // a part of it was longer than is kept
}

// Sink takes what a log holds, in its order.
type Sink interface {
	Entry(*Entry)
	Dump(*Dump)
}

// Options say what is known beforehand.
type Options struct {
	Prefix    string // log_line_prefix; used where Known is set
	Known     bool
	How       string // where Prefix is from, for Source.How
	Doubt     bool   // the lines may have another prefix, as it was changed since: one that does not fit is not used
	DumpsOnly bool   // plain lines: read the memory-context dumps only, as another format holds the entries
}

// Source says what a log was found to be.
type Source struct {
	Format  Format
	Prefix  string // of plain lines
	Wrapped string // what brought the lines: "docker compose", …; "": nothing
	How     string // of Prefix: what Options.How said, "usual", "inferred", "none fits"
	Gzip    bool
	Bytes   int64 // after unpacking
	Lines   int64
	Entries int64
	Stray   int64  // lines that belong to no entry and to no dump
	Broken  int64  // of csvlog and jsonlog: of these those that look like a part of a record
	Unread  int64  // of these those with the label of an entry
	First   string // the first of them, its beginning
	Foreign int64  // entries whose words are in a language that no catalog has: their messages are not known
	// Language is that of most messages and words that are not English: "ru"; "" where all are.
	Language string
	Cut      int64 // entries of which a part was left out for its length
	NoState  int64 // entries at ERROR or worse without SQLSTATE
	Zones    []string
	// Killed are lines of other programs in the log that report an OOM kill of a process of the server.
	Killed []string
	// Shmmax is kernel.shmmax, in bytes, if a paste has it in addition to its log; 0: unknown.
	Shmmax int64
	// Faults are lines of the kernel in the log that report a fault of a process: «segfault at …».
	Faults []string
}

const (
	// maxField is how much is kept of one part of an entry: statements of
	// megabytes exist, and their beginning tells them apart.
	maxField = 16 << 10
	// maxLine is how much of one line is looked at: room for every part.
	maxLine = 256 << 10
	// headSize is how much of a log is looked at to find out what it is.
	headSize = 64 << 10
	// maxZones: a server changes between two, summer and winter.
	maxZones = 4
)

// Head looks at the beginning of a log: what it is and the time of its first
// entry. It is what a caller with several files puts them in order by.
func Head(r io.Reader, o Options) (src Source, first int64, timed bool) {
	var f firstEntry
	src, _ = Read(io.LimitReader(r, headSize), o, &f) // a gzip stream ends early, as it is cut
	return src, f.time, f.timed
}

type firstEntry struct {
	time  int64
	timed bool
}

func (f *firstEntry) Entry(e *Entry) {
	if !f.timed && e.Timed {
		f.time, f.timed = e.Time, true
	}
}
func (f *firstEntry) Dump(*Dump) {}

// around is what a log may have been brought or pasted in. The times of its lines are its own.
var around = &unwrap.Reader{Labeled: labeled, Own: []unwrap.Layer{unwrap.Times}}

// Read reads a log to its end. An error is one of the reader or of the gzip form;
// lines that make no sense are counted, not an error.
func Read(r io.Reader, o Options, sink Sink) (Source, error) {
	var src Source
	in := newLines(r)
	if head := in.peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b { // gzip's magic
		src.Gzip = true
		z, err := gzip.NewReader(in)
		if err != nil {
			return src, err
		}
		in = newLines(z)
	}
	head := in.peek(headSize)
	outer := in
	var unwrapped io.Reader
	if c := charsetOf(head); c != nil {
		in = newLines(recoded(outer, c))
		head = in.peek(headSize)
	}
	src.Format = formatOf(head)
	out := &counter{src: &src, sink: sink}
	if src.Format == Stderr && in.eof && len(head) < headSize {
		if text := composed(head); text != nil {
			in = newLines(bytes.NewReader(text))
			head = in.peek(headSize)
		}
	}
	if src.Format == Stderr && !(o.Known && prefixed(newPrefix(o.Prefix), head)) {
		if name, open := around.Find(head); open != nil {
			src.Wrapped = name
			unwrapped = open(in)
			in = newLines(unwrapped)
			head = in.peek(headSize)
			src.Format = formatOf(head)
		}
	}
	if src.Format != CSV && !o.Known { // a server writes its own in order
		if back, apart := newestFirst(head, in.eof && len(head) < headSize); back {
			in = newLines(reversed(in, apart))
			head = in.peek(headSize)
		}
	}
	if src.Format == Stderr && in.eof && len(head) < headSize {
		if text := unmarked(head); text != nil {
			in = newLines(bytes.NewReader(text))
			head = in.peek(headSize)
		}
	}
	if text := reflowed(head); src.Format == Stderr && in.eof && len(head) < headSize && text != nil {
		in = newLines(bytes.NewReader(text))
		head = in.peek(headSize)
	}
	if src.Format == CSV && in.eof && len(head) < headSize {
		if text := unfoldedCSV(head); text != nil {
			in = newLines(bytes.NewReader(text))
		}
	}
	switch {
	case src.Format == CSV:
		readCSV(in, out)
	case src.Format == JSON && src.Wrapped == "":
		readJSON(in, out)
	default: // an operator's objects have plain lines among them
		readStderr(in, head, o, out)
	}
	src.Bytes, src.Lines = outer.bytes, in.count
	if k, ok := unwrapped.(interface{ Killed() []string }); ok {
		src.Killed = append(src.Killed, k.Killed()...)
	}
	if in.err == nil {
		in.err = outer.err
	}
	return src, in.err
}

// prefixed says whether a line of a head is one of a prefix.
func prefixed(p *prefix, head []byte) bool {
	var f fields
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		if _, _, ok := p.match(line, &f); ok {
			return true
		}
	}
	return false
}

// counter stands before the sink: it counts, and gathers the memory contexts that
// pg_log_backend_memory_contexts writes as entries.
type counter struct {
	src   *Source
	sink  Sink
	asked dumper
	tally map[string]int // entries by language
	lang  string         // the last one that is sure
}

func (c *counter) entry(e *Entry) {
	c.src.Entries++
	c.english(e)
	if e.Cut {
		c.src.Cut++
	}
	if e.Severity >= Error && len(e.State) == 0 {
		c.src.NoState++
	}
	if len(e.Zone) > 0 {
		c.zone(e.Zone)
	}
	if e.Severity == Log && len(e.Message) > 0 {
		switch e.Message[0] {
		case 'l', 'G':
			if d := c.asked.entry(e); d != nil {
				c.sink.Dump(d)
				return
			}
		}
	}
	c.sink.Entry(e)
}

// english turns an entry of another language into an English one.
func (c *counter) english(e *Entry) {
	e.Foreign = e.word != ""
	if e.word != "" && e.word != strangeLanguage && e.word != severalLanguages {
		c.lang = e.word
	}
	if c.lang == "" && !e.Foreign && usualEnglish(e.Message) {
		return
	}
	m, language, ok := translated.English(e.Message, c.lang)
	if ok {
		e.Local, e.Message, e.Language, e.Foreign = e.Message, m, language, true
		c.lang = language
	} else if c.lang != "" && e.Severity >= Error && e.Foreign {
		e.Message = translated.WithoutPosition(e.Message)
	}
	if !e.Foreign && c.lang == "" {
		return
	}
	for _, part := range []*[]byte{&e.Detail, &e.Hint, &e.Context} {
		if p, _, ok := translated.English(*part, c.lang); ok {
			*part = p
		}
	}
	switch {
	case !e.Foreign:
	case e.word == strangeLanguage && !ok:
		c.src.Foreign++
	case c.lang != "":
		if c.tally == nil {
			c.tally = map[string]int{}
		}
		if c.tally[c.lang]++; c.src.Language == "" || c.tally[c.lang] > c.tally[c.src.Language] {
			c.src.Language = c.lang
		}
	}
}

// usualEnglish says whether a message is one of those that most of a busy log are, in English.
func usualEnglish(m []byte) bool {
	if len(m) < 12 {
		return false
	}
	switch m[0] {
	case 'c':
		return hasPrefix(m, "connection ") || hasPrefix(m, "checkpoint ")
	case 'd':
		return hasPrefix(m, "duration: ") || hasPrefix(m, "disconnection: ") || hasPrefix(m, "duplicate key ")
	case 'p':
		return hasPrefix(m, "process ")
	case 's':
		return hasPrefix(m, "statement: ")
	case 't':
		return hasPrefix(m, "temporary file: ")
	}
	return false
}

// maxFirst is how much is kept of the first line that was not understood.
const maxFirst = 160

// unread notes a line that looks like one of a server and is none that could be read.
func (c *counter) unread(line []byte) {
	if !hasLabel(line) {
		return
	}
	if c.src.Unread++; c.src.Unread == 1 {
		c.src.First = strings.ToValidUTF8(string(line[:min(len(line), maxFirst)]), "")
	}
}

func (c *counter) zone(z []byte) {
	for _, have := range c.src.Zones {
		if have == string(z) {
			return
		}
	}
	if len(c.src.Zones) < maxZones {
		c.src.Zones = append(c.src.Zones, string(z))
	}
}

// formatOf tells the format by the first lines. A log may begin in the middle of
// an entry, so each line of the head may decide.
func formatOf(head []byte) Format {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		switch {
		case bytes.HasPrefix(line, []byte(`{"timestamp":"`)), bytes.HasPrefix(line, []byte(`{"user":`)),
			bytes.HasPrefix(line, []byte(`{ "timestamp"`)):
			return JSON
		case csvStart(line):
			return CSV
		}
		if _, n := clock(line); n > 0 && findLabel(line) > 0 {
			return Stderr
		}
		head = rest
	}
	return Stderr
}
