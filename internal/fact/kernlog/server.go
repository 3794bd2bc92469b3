package kernlog

import (
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"
)

// EventKind is what a line of a server's log tells.
type EventKind string

// The kinds of events.
const (
	Died        EventKind = "died"          // a process was ended by signal 9
	Ended       EventKind = "sessions"      // all other sessions are ended
	Reinit      EventKind = "reinitialize"  // all are gone; it starts afresh
	LastKnownUp EventKind = "interrupted"   // when it was last known to be up
	Recovering  EventKind = "recovery"      // crash recovery
	RedoFrom    EventKind = "redo_start"    // where it begins
	RedoTo      EventKind = "redo_done"     // where it ends
	Ready       EventKind = "ready"         // it takes connections
	Started     EventKind = "started"       // the postmaster was started
	StopAsked   EventKind = "stop_asked"    // somebody asks it to stop
	Down        EventKind = "down"          // it is stopped
	NoMemory    EventKind = "out_of_memory" // a query was refused memory (SQLSTATE 53200)
)

// Event is one of them.
type Event struct {
	At        Stamp
	Kind      EventKind
	PID       int    // of the process that it is about; 0: not told
	By        int    // of the process that wrote it; 0: the prefix has none
	Role      string // of the process that died, in the server's words: "server process", "checkpointer process"; "" where the language is not English
	Statement string // that it was running
	Text      string // the message
}

// entry is a message of a server's log in any of its formats.
type entry struct {
	at                                          Stamp
	pid                                         int
	severity, state, message, detail, statement string
}

var (
	// The postmaster says it of a child in every language so that the pid stands in
	// parentheses and the 9 before a colon: «processus serveur (PID 21071) a été
	// arrêté par le signal 9 : Killed».
	reSignal9 = regexp.MustCompile(`^(.{0,80}?) ?\(PID (\d{1,10})\)[^0-9]{1,80}?\b9\b[^0-9]{0,10}:`)
	reSev     = regexp.MustCompile(`\b(LOG|ERROR|FATAL|PANIC|WARNING|DETAIL|STATEMENT|HINT|CONTEXT|NOTICE|INFO|QUERY|LOCATION|DEBUG[1-5]):  ?`) // pastes lose one of the spaces
	reSevCode = regexp.MustCompile(`^([0-9A-Z]{5}): `)
	rePrePID  = regexp.MustCompile(`\[(\d{1,10})\]`)
	reCSV     = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [^",]{1,32},`)
)

// english are the messages that are told apart by their words, being nothing
// but words; in another language they are not seen, and the reader says so.
var english = []struct {
	has  string
	kind EventKind
}{
	{"terminating any other active server processes", Ended},
	{"all server processes terminated; reinitializing", Reinit},
	{"database system was interrupted; last known up", LastKnownUp},
	{"automatic recovery in progress", Recovering},
	{"redo starts at ", RedoFrom},
	{"redo done at ", RedoTo},
	{"database system is ready to accept ", Ready}, // connections, or read-only connections
	{"starting PostgreSQL ", Started},
	{"shutdown request", StopAsked},
	{"database system is shut down", Down},
}

// serverReader reads the server's lines among others.
type serverReader struct {
	last     *Event // a DETAIL, a STATEMENT or more of them belong to it
	more     int    // lines that may still belong to its statement
	naked    bool   // the last line of the server had no prefix at all
	csvText  strings.Builder
	csvLines int
	quotes   int // in csvText
}

// bounds of a csvlog entry: a statement may have many lines.
const (
	maxCSV      = 1 << 20
	maxCSVLines = 10_000
	maxMore     = 50
)

// csv reads lines of a csvlog; an entry goes on to the line where its quotes
// are closed.
func (v *serverReader) csv(p *Reader, s string) bool {
	if v.csvLines == 0 {
		if len(s) < 24 || s[0] < '0' || s[0] > '9' || s[4] != '-' || !reCSV.MatchString(s) {
			return false
		}
	} else if v.csvLines > 1000 && reCSV.MatchString(s) {
		v.flush(p) // a quote was lost
	}
	v.csvText.WriteString(s)
	v.csvLines++
	v.quotes += strings.Count(s, `"`)
	if v.quotes%2 == 0 || v.csvText.Len() > maxCSV || v.csvLines > maxCSVLines {
		v.flush(p)
	}
	return true
}

func (v *serverReader) flush(p *Reader) {
	text := v.csvText.String()
	v.csvText.Reset()
	v.csvLines, v.quotes = 0, 0
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	f, err := r.Read()
	if err != nil || len(f) < 20 {
		return
	}
	pid, _ := strconv.Atoi(f[3])
	v.entry(p, entry{at: timeOf(f[0]), pid: pid, severity: f[11], state: f[12], message: f[13], detail: f[14], statement: f[19]})
}

// end ends what is open.
func (v *serverReader) end(p *Reader) {
	if v.csvLines > 0 {
		v.flush(p)
	}
	v.last, v.more = nil, 0
}

// timeOf reads a time as a server writes it: 2026-11-21 06:39:29.697 UTC.
func timeOf(s string) Stamp {
	at := none
	if rest, ok := stripTime(s, &at); ok && at.Wall.IsZero() && rest != "" {
		at.Text = s
	}
	if at.Text == "" {
		at.Text = s
	}
	return at
}

// hasSeverity says quickly that a line can be none of a server, as most are.
func hasSeverity(raw string) bool {
	for from := 0; ; {
		i := strings.IndexByte(raw[from:], ':')
		if i < 0 {
			return false
		}
		from += i + 1
		if from > 3 {
			if c := raw[from-2]; c >= 'A' && c <= 'Z' || c >= '1' && c <= '5' && raw[from-3] == 'G' { // DEBUG1
				return true
			}
		}
	}
}

// text reads a line of the server's stderr, whatever its log_line_prefix.
func (v *serverReader) text(p *Reader, raw string, l line) bool {
	var m []int
	if l.from != fromKernel && l.at.Boot < 0 && hasSeverity(raw) {
		m = reSev.FindStringSubmatchIndex(raw)
	}
	if m == nil || m[0] > 512 || l.from == fromKernel || l.from == fromSystemd || l.at.Boot >= 0 {
		// A statement of several lines goes on with a tab, or without one where a
		// paste has lost it.
		if v.last != nil && v.more > 0 && l.from == bare && l.at.Text == "" && (strings.HasPrefix(raw, "\t") || v.naked && l.text != "" && !opens(l.text)) {
			v.more--
			if len(v.last.Statement) < maxText {
				v.last.Statement += "\n" + strings.TrimSpace(raw)
			}
			return true
		}
		if l.text != "" {
			v.more = 0
		}
		return l.from == fromServer
	}
	prefix, severity, message := raw[:m[0]], raw[m[2]:m[3]], strings.TrimRight(raw[m[1]:], " \r\n")
	e := entry{at: l.at, severity: severity, message: message}
	if c := reSevCode.FindStringSubmatch(message); c != nil { // log_error_verbosity = verbose
		e.state, e.message = c[1], message[len(c[0]):]
	}
	if c := rePrePID.FindStringSubmatch(prefix); c != nil {
		e.pid, _ = strconv.Atoi(c[1])
	} else {
		e.pid = l.pid
	}
	v.naked = strings.TrimSpace(prefix) == ""
	switch severity {
	case "DETAIL", "STATEMENT", "HINT", "CONTEXT", "QUERY", "LOCATION":
		if v.last == nil || e.pid != 0 && v.last.By != 0 && e.pid != v.last.By {
			return true
		}
		v.belongs(severity, message)
	default:
		v.entry(p, e)
	}
	return true
}

// belongs takes a line that belongs to the last event.
func (v *serverReader) belongs(severity, message string) {
	set := func(s string) {
		v.last.Statement, v.more = s[:min(len(s), maxText)], maxMore
	}
	switch {
	case severity == "STATEMENT" && v.last.Kind == NoMemory:
		set(message)
	case severity == "DETAIL" && v.last.Kind == Died:
		// «Failed process was running: » in any language.
		if _, s, ok := strings.Cut(message, ": "); ok {
			set(s)
		}
	case severity == "DETAIL" && v.last.Kind == NoMemory:
		v.last.Text += " (" + message + ")"
	}
}

// entry takes a message.
func (v *serverReader) entry(p *Reader, e entry) {
	v.last, v.more = nil, 0
	ev := Event{At: e.at, By: e.pid, Text: e.message}
	if len(ev.Text) > maxText {
		ev.Text = ev.Text[:maxText]
	}
	if m := reSignal9.FindStringSubmatch(e.message); m != nil {
		ev.Kind = Died
		ev.PID, _ = strconv.Atoi(m[2])
		if strings.Contains(e.message, "was terminated by signal") {
			ev.Role = m[1]
		}
	} else if e.state == "53200" || strings.HasPrefix(e.message, "out of memory") && (e.severity == "ERROR" || e.severity == "FATAL") {
		ev.Kind, ev.PID, ev.Statement = NoMemory, e.pid, e.statement
	} else {
		for _, w := range english {
			if strings.Contains(e.message, w.has) {
				ev.Kind = w.kind
				break
			}
		}
	}
	if ev.Kind == "" {
		return
	}
	if len(p.log.Server) >= maxEvents {
		p.log.Server = append(p.log.Server[:0], p.log.Server[1:]...)
		p.log.Cut = true
	}
	p.log.Server = append(p.log.Server, ev)
	v.last = &p.log.Server[len(p.log.Server)-1]
	if e.detail != "" {
		v.belongs("DETAIL", e.detail)
	}
	v.more = 0
}
