package serverlog

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

const (
	// maxMessages is how many different errors are held, and maxShape how much of each.
	maxMessages = 256
	maxShape    = 160
	// maxFew is how many different statements are held of a rare kind.
	maxFew = 16
)

// faults counts errors and warnings that no finding is of, by their words.
type faults struct {
	of  map[string]*counted
	buf []byte
}

type counted struct {
	severity    pglog.Severity
	count       int64
	first, last stamp
	example     string // the first, with names
	named       string // it, as it was before names were replaced
	varied      bool
	statement   string
	user, db    string
}

func (s *faults) add(c *Collector, e *pglog.Entry, at stamp) {
	s.buf = shape(s.buf[:0], e.Message)
	x := s.of[string(s.buf)] // looks without an allocation
	if x == nil {
		if len(s.of) >= maxMessages {
			return
		}
		if s.of == nil {
			s.of = map[string]*counted{}
		}
		x = &counted{severity: e.Severity, first: at, user: c.user(e), db: c.database(e)}
		s.of[string(s.buf)] = x
		s.buf = shapeOf(s.buf[:0], e.Message, true)
		x.named = string(s.buf)
		x.example = c.mask.text(x.named)
	} else if !x.varied {
		s.buf = shapeOf(s.buf[:0], e.Message, true)
		x.varied = string(s.buf) != x.named
	}
	if x.statement == "" && len(e.Statement) > 0 {
		x.statement = c.normal(e.Statement)
	}
	x.severity = max(x.severity, e.Severity)
	x.count++
	x.last = at
}

// naming are the words before a quoted name that is no value of a row.
var naming = [][]byte{[]byte("relation "), []byte("table "), []byte("column "), []byte("database "), []byte("role "),
	[]byte("user "), []byte("schema "), []byte("extension "), []byte("index "), []byte("sequence "), []byte("view "),
	[]byte("constraint "), []byte("constraint: "), []byte("type "), []byte("file "), []byte("directory "),
	[]byte("parameter "), []byte("library "), []byte("function "), []byte("slot "), []byte("publication "),
	[]byte("subscription "), []byte("tablespace "), []byte("trigger "), []byte("statement ")}

// shape is a message without what it names: quoted words, and numbers.
func shape(out, m []byte) []byte { return shapeOf(out, m, false) }

// shapeOf keeps the names of things, as long as they are asked for, and the numbers of files.
func shapeOf(out, m []byte, names bool) []byte {
	if i := bytes.IndexByte(m, '\n'); i >= 0 {
		m = m[:i]
	}
	for i := 0; i < len(m) && len(out) < maxShape; {
		switch c := m[i]; {
		case c == '"':
			j := bytes.IndexByte(m[i+1:], '"')
			if j < 0 {
				return append(out, "…"...)
			}
			if names && slices.ContainsFunc(naming, func(w []byte) bool { return bytes.HasSuffix(m[:i], w) }) {
				out = append(out, m[i:i+j+2]...)
			} else {
				out = append(out, `"…"`...)
			}
			i += j + 2
		case c >= '0' && c <= '9' && (i == 0 || !letter(m[i-1])):
			for i < len(m) && (m[i] >= '0' && m[i] <= '9' || letter(m[i])) {
				i++
			}
			out = append(out, 'N')
		default:
			out = append(out, c)
			i++
		}
	}
	return bytes.ToValidUTF8(out, nil)
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// list is the worst first, then the most frequent.
func (s *faults) list() []Message {
	out := []Message{}
	for text, x := range s.of {
		m := Message{Severity: x.severity.String(), Text: strings.TrimSpace(text), Varied: x.varied, Count: x.count,
			Statement: x.statement, User: x.user, Database: x.db, First: x.first.String(), Last: x.last.String()}
		if example := strings.TrimSpace(x.example); example != m.Text {
			m.Example = example
		}
		out = append(out, m)
	}
	rank := []string{"PANIC", "FATAL", "ERROR", "WARNING", "LOG"}
	slices.SortFunc(out, func(a, b Message) int {
		return cmp.Or(cmp.Compare(slices.Index(rank, a.Severity), slices.Index(rank, b.Severity)),
			cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text))
	})
	return out[:min(len(out), 2*shownTop)]
}

// few counts the statements of a kind that is rare.
type few struct {
	top top
}

func (s *few) add(c *Collector, e *pglog.Entry) {
	doing := e.Doing()
	if len(doing) == 0 {
		return
	}
	if len(s.top.of) >= maxFew {
		text, hash := pglog.Fingerprint(doing, s.top.buf, shownText)
		s.top.buf = text
		if s.top.of[hash] == nil {
			s.top.other.Count++
			return
		}
	}
	s.top.add(doing, 0, c.user(e), c.database(e))
	s.top.within(doing, e.Within())
}

func (s *few) list(c *Collector) []Statement {
	out, _ := s.top.first(shownTop)
	c.hide(out)
	return out
}

// said reports the first of them.
func said(list []Statement) (out []say.Message) {
	for _, s := range list[:min(len(list), 3)] {
		switch {
		case s.Text == "":
		case s.Within != "":
			out = append(out, say.N(s.Count, "once: {statement}; inner statement: {inner}",
				"{n} times: {statement}; inner statement: {inner}", "statement", s.Text, "inner", s.Within))
		default:
			out = append(out, say.N(s.Count, "once: {statement}", "{n} times: {statement}", "statement", s.Text))
		}
	}
	return out
}

// within is a statement with the one of a function that was running in it.
func within(s Statement) say.Message {
	return say.M("inner statement of {statement}: {inner}", "statement", s.Text, "inner", s.Within)
}
