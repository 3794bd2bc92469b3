package pglog

import (
	"bytes"
	"strconv"
)

// step is one piece of a prefix: a text, or an escape.
type step struct {
	escape byte   // 0: text
	text   []byte // of a text; of an escape of free text: the text that ends it
	wide   bool   // the escape is padded with spaces
}

// prefix matches the beginnings of lines against a log_line_prefix.
type prefix struct {
	spec  string
	steps []step
	tries int  // left for the line at hand
	one   bool // one space behind a label is enough
	bare  bool // the first messages of the log were copied without it
}

const (
	// maxPrefix is longer than any prefix that a person reads.
	maxPrefix = 1000
	// maxTries bounds how often one line may be taken up again: an application
	// name may hold the text that is thought to end it.
	maxTries = 200
	// maxFree is how long a name in a prefix may be: identifiers have 63 bytes,
	// process titles and host names up to 255.
	maxFree = 256
)

// newPrefix takes a log_line_prefix apart as the server does: an escape that it
// does not know is nothing.
func newPrefix(spec string) *prefix {
	spec = spec[:min(len(spec), maxPrefix)]
	p := &prefix{spec: spec}
	var lit []byte
	flush := func() {
		if len(lit) > 0 {
			p.steps = append(p.steps, step{text: lit})
			lit = nil
		}
	}
	for i := 0; i < len(spec); i++ {
		if spec[i] != '%' {
			lit = append(lit, spec[i])
			continue
		}
		i++
		wide := false
		for i < len(spec) && (spec[i] == '-' || isDigit(spec[i])) {
			wide = true
			i++
		}
		if i == len(spec) {
			break
		}
		switch c := spec[i]; c {
		case '%':
			lit = append(lit, '%')
		case 'a', 'u', 'd', 'r', 'h', 'b', 'p', 'P', 't', 'm', 'n', 'i', 'e', 'c', 'l', 's', 'v', 'x', 'q', 'Q', 'L':
			flush()
			p.steps = append(p.steps, step{escape: c, wide: wide})
		}
	}
	flush()
	for i := range p.steps {
		if i+1 < len(p.steps) && p.steps[i].escape != 0 && p.steps[i+1].escape == 0 {
			p.steps[i].text = p.steps[i+1].text
		}
	}
	return p
}

// fields are what a prefix tells.
type fields struct {
	time                          int64
	timed                         bool
	fine                          bool // the time has fractions of a second
	pid                           int
	zone, user, db, app, host, be []byte
	state                         []byte
}

// match takes the prefix from a line. What follows has to begin with a label, so
// that a name with a space in it is not taken for its end.
func (p *prefix) match(line []byte, f *fields) (l label, rest []byte, ok bool) {
	*f = fields{}
	p.tries = maxTries
	if l, rest, ok = p.from(0, line, f, false); ok || len(p.steps) == 0 {
		return l, rest, ok
	}
	// Only where no word of the lists stands anywhere a strange one is taken.
	*f = fields{}
	p.tries = maxTries
	return p.from(0, line, f, true)
}

func (p *prefix) from(at int, b []byte, f *fields, strange bool) (l label, rest []byte, ok bool) {
	for ; at < len(p.steps); at++ {
		s := &p.steps[at]
		if s.escape == 0 {
			if !bytes.HasPrefix(b, s.text) {
				return l, nil, false
			}
			b = b[len(s.text):]
			continue
		}
		if s.wide {
			for len(b) > 0 && b[0] == ' ' {
				b = b[1:]
			}
		}
		n := 0
		switch s.escape {
		case 'm', 't', 's':
			us, k := clock(b)
			f.fine = f.fine || k > 19
			if k == 0 {
				if s.escape == 's' { // a process without a session
					break
				}
				return l, nil, false
			}
			n = k
			var z []byte
			if k < len(b) && b[k] == ' ' {
				z = zone(b[k+1:])
				n += 1 + len(z)
			}
			if s.escape != 's' {
				f.time, f.timed, f.zone = us, true, z
			}
		case 'n':
			us, k := epoch(b)
			if k == 0 {
				return l, nil, false
			}
			n, f.time, f.timed, f.zone = k, us, true, utc
		case 'p', 'P', 'l', 'x', 'Q':
			if s.escape == 'Q' && len(b) > 0 && b[0] == '-' { // a query id may be negative
				n = 1
			}
			v, k := int64(0), 0
			for n+k < len(b) && isDigit(b[n+k]) && k < 20 {
				k++
			}
			if s.escape == 'p' {
				if v, k = leadingNumber(b); k == 0 || k > 10 {
					return l, nil, false
				}
				f.pid = int(v)
			}
			if n += k; k == 0 && s.escape != 'P' && s.escape != 'Q' {
				return l, nil, false
			}
		case 'e':
			if len(b) < 5 || !isState(b[:5]) {
				return l, nil, false
			}
			f.state, n = b[:5], 5
		case 'c':
			n = span(b, func(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c == '.' })
			if f.pid == 0 {
				f.pid = sessionPID(b[:n])
			}
		case 'v':
			n = span(b, func(c byte) bool { return isDigit(c) || c == '/' })
		case 'q':
			if l, rest, ok = p.from(at+1, b, f, strange); ok {
				return l, rest, true
			}
			// A process without a session ends its prefix here.
			f.user, f.db, f.app, f.host = nil, nil, nil, nil
			return labelled(b, strange, p.one)
		default:
			return p.free(at, b, f, strange)
		}
		b = b[n:]
		if s.wide {
			for len(b) > 0 && b[0] == ' ' && (len(s.text) == 0 || !bytes.HasPrefix(b, s.text)) {
				b = b[1:]
			}
		}
	}
	return labelled(b, strange, p.one)
}

// sessionPID is the process in a session ID, «6510f2a0.157d»: its second part. 0: there is none.
func sessionPID(b []byte) int {
	i := bytes.IndexByte(b, '.')
	if i < 0 {
		return 0
	}
	pid, err := strconv.ParseInt(string(b[i+1:min(len(b), i+10)]), 16, 32)
	if err != nil {
		return 0
	}
	return int(pid)
}

// free takes free text: up to each place where what follows it may begin.
func (p *prefix) free(at int, b []byte, f *fields, strange bool) (l label, rest []byte, ok bool) {
	s := &p.steps[at]
	// Of a page that ate spaces an empty name has left one blank of two.
	if rest, ok := bytes.CutPrefix(s.text, []byte{' '}); ok && p.one && !strange && bytes.HasPrefix(b, rest) {
		if l, rest, ok := p.from(at+2, b[len(rest):], f, strange); ok {
			f.set(s.escape, nil)
			return l, rest, true
		}
	}
	for n := 0; n <= len(b) && n <= maxFree; n++ {
		if len(s.text) > 0 {
			i := bytes.Index(b[n:min(len(b), maxFree+len(s.text))], s.text)
			if i < 0 {
				return l, nil, false
			}
			n += i
		}
		if p.tries--; p.tries < 0 {
			return l, nil, false
		}
		// A strange word right behind free text would fit anywhere.
		if l, rest, ok = p.from(at+1, b[n:], f, strange && at+1 < len(p.steps)); ok {
			v := b[:n]
			if s.wide {
				v = bytes.TrimSpace(v)
			}
			f.set(s.escape, v)
			return l, rest, true
		}
	}
	return l, nil, false
}

func (f *fields) set(escape byte, v []byte) {
	if string(v) == "[unknown]" {
		v = nil
	}
	switch escape {
	case 'u':
		f.user = v
	case 'd':
		f.db = v
	case 'a':
		f.app = v
	case 'b':
		f.be = v
	case 'h':
		f.host = v
	case 'r':
		f.host = host(v)
	}
}

// host takes the port from "10.0.0.7(51234)" and from csvlog's "10.0.0.7:51234".
func host(v []byte) []byte {
	if i := bytes.LastIndexByte(v, '('); i > 0 {
		return v[:i]
	}
	if i := bytes.LastIndexByte(v, ':'); i > 0 && i+1 < len(v) && span(v[i+1:], isDigit) == len(v)-i-1 {
		return v[:i]
	}
	return v
}

func span(b []byte, in func(byte) bool) int {
	n := 0
	for n < len(b) && in(b[n]) {
		n++
	}
	return n
}

// isState says whether five bytes are an SQLSTATE.
func isState(b []byte) bool {
	if len(b) != 5 {
		return false
	}
	for _, c := range b {
		if !isDigit(c) && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
