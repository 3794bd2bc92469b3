package pglog

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader takes jsonlog: one flat object a line. It is no general parser, as
// one would cost most of the time: it takes objects of texts and numbers.
type jsonReader struct {
	out   *counter
	store [jsonFields][]byte
	e     Entry
	cut   bool
}

// The members that are kept.
const (
	jsTime = iota
	jsUser
	jsDatabase
	jsPID
	jsHost
	jsSeverity
	jsState
	jsMessage
	jsDetail
	jsHint
	jsContext
	jsStatement
	jsApp
	jsBackend
	jsonFields
)

var noError = []byte("00000")

func jsonMember(key []byte) int {
	switch string(key) {
	case "timestamp":
		return jsTime
	case "user":
		return jsUser
	case "dbname":
		return jsDatabase
	case "pid":
		return jsPID
	case "remote_host":
		return jsHost
	case "error_severity":
		return jsSeverity
	case "state_code":
		return jsState
	case "message":
		return jsMessage
	case "detail":
		return jsDetail
	case "hint":
		return jsHint
	case "context":
		return jsContext
	case "statement":
		return jsStatement
	case "application_name":
		return jsApp
	case "backend_type":
		return jsBackend
	}
	return -1
}

func readJSON(in *lines, out *counter) {
	r := &jsonReader{out: out}
	for {
		line, ok := in.next()
		if !ok {
			return
		}
		if len(line) > 0 && !r.next(line, in.count, in.cut) {
			out.src.Stray++
			if line[0] == '{' {
				out.src.Broken++
			}
		}
	}
}

// next takes a line; false where it is no entry.
func (r *jsonReader) next(line []byte, number int64, cut bool) bool {
	for i := range r.store {
		r.store[i] = r.store[i][:0]
	}
	r.cut = cut
	if !r.object(line) && !cut || len(r.store[jsMessage]) == 0 && len(r.store[jsSeverity]) == 0 {
		return false
	}
	f := &r.store
	e := &r.e
	*e = Entry{User: f[jsUser], Database: f[jsDatabase], Host: f[jsHost], State: f[jsState], Message: f[jsMessage],
		Detail: f[jsDetail],
		Hint:   f[jsHint], Context: f[jsContext], Statement: f[jsStatement], App: f[jsApp], Backend: f[jsBackend],
		Line: number, Cut: r.cut}
	e.stamp(f[jsTime])
	e.Severity, e.word = severityOf(f[jsSeverity])
	if v, n := leadingNumber(f[jsPID]); n > 0 && n <= 10 {
		e.PID = int(v)
	}
	if len(e.State) == 0 && len(f[jsSeverity]) > 0 {
		e.State = noError // jsonlog leaves this one out
	}
	if !isState(e.State) {
		e.State = nil
	}
	r.out.entry(e)
	return true
}

// object reads {"key":value,…}; false where it is none, or ends early.
func (r *jsonReader) object(b []byte) bool {
	b = blank(b)
	if len(b) == 0 || b[0] != '{' {
		return false
	}
	b = blank(b[1:])
	for {
		if len(b) == 0 || b[0] != '"' {
			return false
		}
		i := bytes.IndexByte(b[1:], '"')
		if i < 0 {
			return false
		}
		to := jsonMember(b[1 : 1+i])
		b = blank(b[i+2:])
		if len(b) == 0 || b[0] != ':' {
			return false
		}
		b = blank(b[1:])
		if len(b) == 0 {
			return false
		}
		if b[0] == '"' {
			var ok bool
			if b, ok = r.text(to, b[1:]); !ok {
				return false
			}
		} else {
			n := span(b, func(c byte) bool {
				return isDigit(c) || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
			})
			if n == 0 {
				return false
			}
			r.keep(to, b[:n])
			b = b[n:]
		}
		b = blank(b)
		if len(b) > 0 && b[0] == '}' {
			return len(blank(b[1:])) == 0
		}
		if len(b) == 0 || b[0] != ',' {
			return false
		}
		b = blank(b[1:])
	}
}

func blank(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}

func (r *jsonReader) keep(to int, b []byte) {
	if to < 0 {
		return
	}
	have := r.store[to]
	if room := maxField - len(have); len(b) > room {
		b, r.cut = b[:max(room, 0)], true
	}
	r.store[to] = append(have, b...)
}

// text reads a string behind its opening quote.
func (r *jsonReader) text(to int, b []byte) (rest []byte, ok bool) {
	for {
		i := bytes.IndexByte(b, '"')
		if i < 0 {
			i = len(b)
		}
		if j := bytes.IndexByte(b[:i], '\\'); j >= 0 {
			i = j
		}
		r.keep(to, b[:i])
		b = b[i:]
		if len(b) == 0 {
			return nil, false
		}
		if b[0] == '"' {
			return b[1:], true
		}
		if len(b) < 2 {
			return nil, false
		}
		n := 2
		switch b[1] {
		case 'n':
			r.keep(to, []byte{'\n'})
		case 't':
			r.keep(to, []byte{'\t'})
		case 'r':
			r.keep(to, []byte{'\r'})
		case 'b':
			r.keep(to, []byte{'\b'})
		case 'f':
			r.keep(to, []byte{'\f'})
		case '"', '\\', '/':
			r.keep(to, b[1:2])
		case 'u':
			c, k := unicode4(b)
			if k == 0 {
				return nil, false
			}
			n = k
			if utf16.IsSurrogate(c) {
				low, k := unicode4(b[n:])
				c = utf16.DecodeRune(c, low)
				if c != utf8.RuneError {
					n += k
				}
			}
			r.keep(to, utf8.AppendRune(nil, c))
		default:
			return nil, false
		}
		b = b[n:]
	}
}

// unicode4 reads \uXXXX.
func unicode4(b []byte) (rune, int) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, 0
	}
	var c rune
	for _, d := range b[2:6] {
		switch {
		case isDigit(d):
			c = c<<4 | rune(d-'0')
		case d >= 'a' && d <= 'f':
			c = c<<4 | rune(d-'a'+10)
		case d >= 'A' && d <= 'F':
			c = c<<4 | rune(d-'A'+10)
		default:
			return 0, 0
		}
	}
	return c, 6
}
