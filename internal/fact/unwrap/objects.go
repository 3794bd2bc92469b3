package unwrap

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// objects takes lines out of JSON: an object a line, or laid out over lines, or in arrays.
type objects struct {
	s     *sample
	open  []byte // lines of an object that has not ended
	at    int    // the number of the first
	lines int
	depth int    // of its brackets
	quote bool   // a text of it has not ended
	own   bool   // the object before was a line of the reader
	key   string // of the member that had a line of the reader, where it is none of texts
}

const (
	// maxObject is how long an object may be, in bytes and in lines.
	maxObject      = 256 << 10
	maxObjectLines = 4000
	// maxBefore is how much may stand before an object in its line: the names of a pod and a container.
	maxBefore = 300
	// maxDepth is how deep objects nest.
	maxDepth = 12
)

// findObjects finds objects that hold lines of the reader in texts of theirs, and no documents that it reads itself.
func findObjects(s *sample) cut {
	n := 0
	for _, l := range s.lines {
		if i := start(l); i >= 0 {
			if bytes.HasPrefix(l[i:], []byte(`{"timestamp":"`)) && bytes.Contains(l, []byte(`"error_severity"`)) &&
				s.Labeled != nil {
				return nil // jsonlog
			}
			n++
		}
	}
	if n == 0 || n < len(s.lines)/3 && !laidOut(s.lines) {
		return nil
	}
	name := objectsOf(bytes.Join(s.lines, []byte{'\n'}))
	if name == "" && (s.Labeled != nil || s.known == 0 || s.Sign == nil) {
		return nil
	}
	if s.name = name; s.Labeled == nil {
		// What comes of it has to be lines that the reader knows, as many as it knew before.
		try, known, all := &objects{s: s}, 0, 0
		give := func(l line) {
			if all++; s.sign(l.text) {
				known++
			}
		}
		for _, l := range s.lines {
			try.line(line{l, 0}, give)
		}
		try.line(line{nil, -1}, give)
		if own := s.anyLine() && bytes.Contains(s.lines[0], []byte(`"error_severity"`)) ||
			bytes.Contains(s.lines[0], []byte(`"__REALTIME_TIMESTAMP"`)); own {
			return nil // of a server or of the journal
		}
		if blind := s.anyLine() || s.known == 0; blind && 2*all < n || !blind && (known == 0 || 2*known < s.known) {
			return nil
		}
	}
	return (&objects{s: s}).line
}

// objectsOf names what wrote the objects of a text; "" where that is not known.
func objectsOf(all []byte) string {
	has := func(words ...string) bool {
		for _, w := range words {
			if !bytes.Contains(all, []byte(w)) {
				return false
			}
		}
		return true
	}
	switch {
	case has(`"logging_pod"`) || has(`"logger"`, `"record"`):
		return "CloudNativePG"
	case has(`"errorLevel"`) || has(`PostgreSQLLogs`):
		return "Azure"
	case has(`"textPayload"`) || has(`"jsonPayload"`):
		return "Google Cloud"
	case has(`"log"`, `"stream"`, `"time"`) && !has(`"kubernetes"`):
		return "docker json-file"
	case has(`"message"`) || has(`"log"`) || has(`"msg"`) || has(`"line"`) || has(`"MESSAGE"`) || has(`"body"`) ||
		has(`"stdout"`) || has(`"output"`):
		return "JSON"
	}
	return ""
}

// object says whether a line begins with an object, which holds its texts itself.
func (s *sample) object(l []byte) bool { return start(l) >= 0 }

// laidOut says whether the sample begins with an object or an array that goes over lines.
func laidOut(sample [][]byte) bool {
	if len(sample) == 0 {
		return false
	}
	first := bytes.TrimSpace(sample[0])
	return len(first) > 0 && (first[0] == '{' || first[0] == '[')
}

// start is where an object begins in a line; -1: in no place.
func start(line []byte) int {
	i := bytes.IndexByte(line[:min(len(line), maxBefore)], '{')
	if i < 0 {
		return -1
	}
	rest := bytes.TrimLeft(line[i+1:], " \t")
	if len(rest) > 0 && rest[0] != '"' && rest[0] != '}' {
		return -1
	}
	return i
}

// filled says whether an object begins in a line, with something in it.
func filled(l []byte) bool {
	i := start(l)
	return i >= 0 && len(bytes.TrimSpace(l[i+1:])) > 0
}

// line takes a line, and hands out what is in the objects that are complete now.
func (o *objects) line(l line, out func(line)) {
	if ends(l) {
		o.end(out)
		return
	}
	t := l.text
	i := start(t)
	fresh := i >= 0 && (i == 0 || t[0] != ' ' && t[0] != '\t' && t[0] != '"') // "labels": {
	if len(o.open) > 0 && (fresh || o.lines > maxObjectLines || len(o.open)+len(t) > maxObject) {
		o.end(out) // it was cut
	}
	if len(o.open) == 0 {
		if i < 0 {
			if o.s.anyLine() || len(bytes.TrimSpace(t)) > 0 && o.s.is(t) {
				out(l)
			}
			return
		}
		t, o.at = t[i:], l.number
	}
	o.open = append(append(o.open, t...), '\n')
	o.lines++
	if o.balanced(t) {
		o.end(out)
	}
}

// end takes what is open as it is.
func (o *objects) end(out func(line)) {
	if len(o.open) == 0 {
		return
	}
	s := scanner{b: o.open, of: o.s, own: o.own, key: o.key}
	for s.at < len(s.b) { // several of an array may be in one line
		switch s.blank() {
		case '{', '[':
			s.value("", nil, 0)
		case ',', ']':
			s.at++
		default:
			s.at = len(s.b)
		}
	}
	o.key = s.key
	o.own = len(s.to) > 0
	at := o.at
	o.open, o.lines, o.depth, o.quote = o.open[:0], 0, 0, false
	for l := range bytes.Lines(s.to) {
		out(line{bytes.TrimSuffix(l, []byte{'\n'}), at})
	}
}

// balanced takes the next line of an object, and says whether its brackets pair.
func (o *objects) balanced(b []byte) bool {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case o.quote && c == '\\':
			i++
		case c == '"':
			o.quote = !o.quote
		case o.quote:
		case c == '{' || c == '[':
			o.depth++
		case c == '}' || c == ']':
			o.depth--
		}
	}
	return o.depth <= 0 && !o.quote
}

// scanner reads JSON as far as it goes: what is cut still has what came before.
type scanner struct {
	b   []byte
	at  int
	to  []byte
	of  *sample
	own bool // what came before is a line of the reader
	key string
	cut bool
}

func (s *scanner) blank() byte {
	for s.at < len(s.b) && (s.b[s.at] == ' ' || s.b[s.at] == '\t' || s.b[s.at] == '\n' || s.b[s.at] == '\r') {
		s.at++
	}
	if s.at == len(s.b) {
		return 0
	}
	return s.b[s.at]
}

// value reads a value into the members of the object around it, by its path.
func (s *scanner) value(path string, into map[string]string, depth int) {
	switch s.blank() {
	case '{':
		s.object(path, into, depth)
	case '[':
		s.at++
		for s.at < len(s.b) {
			switch s.blank() {
			case ']':
				s.at++
				return
			case ',':
				s.at++
			case 0:
				return
			default:
				before := s.at
				s.value("", nil, depth+1) // an object of an array is one of its own
				if s.at == before {
					return
				}
			}
		}
	case '"':
		v := s.text()
		if into != nil {
			if _, have := into[path]; !have {
				into[path] = v
			}
		}
	case 0:
	default:
		from := s.at
		for s.at < len(s.b) && strings.IndexByte(",}] \n\t\r", s.b[s.at]) < 0 {
			s.at++
		}
		if into != nil && s.at > from {
			into[path] = string(s.b[from:s.at])
		}
	}
}

func (s *scanner) object(path string, into map[string]string, depth int) {
	s.at++
	own := into
	if own == nil {
		own, path = map[string]string{}, ""
	}
	if depth > maxDepth {
		s.at = len(s.b)
		return
	}
members:
	for s.at < len(s.b) {
		switch s.blank() {
		case '}':
			s.at++
			break members
		case ',':
			s.at++
		case '"':
			key := strings.ToLower(s.text())
			if s.blank() != ':' {
				break members
			}
			s.at++
			if path != "" {
				key = path + "." + key
			}
			s.value(key, own, depth+1)
		default:
			break members
		}
	}
	if into == nil {
		s.emit(own)
	}
}

// text reads a string; one that does not end, to the end.
func (s *scanner) text() string {
	s.at++
	var b strings.Builder
	for s.at < len(s.b) {
		c := s.b[s.at]
		switch {
		case c == '"':
			s.at++
			return b.String()
		case c == '\\' && s.at+1 < len(s.b):
			s.at += 2
			switch e := s.b[s.at-1]; e {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
			case 'u':
				b.WriteRune(s.unicode())
			default:
				b.WriteByte(e)
			}
		default:
			b.WriteByte(c)
			s.at++
		}
	}
	s.cut = true
	return strings.TrimSuffix(b.String(), "\n")
}

func (s *scanner) unicode() rune {
	hex := func(at int) (rune, bool) {
		if at+4 > len(s.b) {
			return 0, false
		}
		v, err := strconv.ParseUint(string(s.b[at:at+4]), 16, 16)
		return rune(v), err == nil
	}
	r, ok := hex(s.at)
	if !ok {
		return utf8.RuneError
	}
	s.at += 4
	if utf16.IsSurrogate(r) && bytes.HasPrefix(s.b[s.at:], []byte(`\u`)) {
		if low, ok := hex(s.at + 2); ok {
			s.at += 6
			return utf16.DecodeRune(r, low)
		}
	}
	return r
}

// texts are the members that hold a line of a log, those that say most first.
var texts = []string{"textpayload", "jsonpayload.message", "jsonpayload.log", "properties.message", "log", "message",
	"msg", "line", "@message", "_raw", "event.original", "body", "body.stringvalue", "stdout", "output", "text",
	"content"}

// times are the members that hold the time at which it was brought.
var times = []string{"time", "timestamp", "@timestamp", "ts", "receivetimestamp"}

// columns are the members of the server's jsonlog by what others call them.
var columns = []struct {
	name string
	of   []string
}{
	{"timestamp", []string{"log_time", "timestamp"}}, {"user", []string{"user_name", "user"}},
	{"dbname", []string{"database_name", "dbname", "database"}}, {"pid", []string{"process_id", "pid", "processid"}},
	{"remote_host", []string{"remote_host", "connection_from"}},
	{"error_severity", []string{"error_severity", "errorlevel"}},
	{"state_code", []string{"sql_state_code", "state_code", "sqlerrcode"}}, {"message", []string{"message"}},
	{"detail", []string{"detail"}}, {"hint", []string{"hint"}}, {"context", []string{"context"}},
	{"statement", []string{"statement", "query"}}, {"application_name", []string{"application_name"}},
	{"backend_type", []string{"backend_type"}},
}

// emit appends what an object holds: of a server's log an entry in the columns of the server as a line of jsonlog, else
// a text as it is.
func (s *scanner) emit(m map[string]string) {
	if s.of.Labeled == nil {
		s.member(m)
		return
	}
	labeled := s.of.Labeled
	for _, in := range []string{"record.", "jsonpayload.", "properties.", "message.", "log.", ""} {
		message, ok := m[in+"message"]
		_, sev := m[in+"error_severity"]
		_, level := m[in+"errorlevel"]
		if !ok || message == "" || !sev && !level || labeled([]byte(message)) {
			continue
		}
		s.entry(in, m)
		return
	}
	for _, key := range texts {
		text, ok := m[key]
		if !ok || text == "" {
			continue
		}
		if strings.HasPrefix(text, "{") && strings.Contains(text, `"message"`) { // an object in a text
			inner := scanner{b: []byte(text), to: s.to, of: s.of, own: s.own}
			inner.value("", nil, 0)
			s.to = inner.to
			return
		}
		// Of other programs' messages there is no end; docker's «log» is a line, whatever it holds.
		if key != "log" && key != "textpayload" && !labeled([]byte(text)) && !(s.own && text[0] == '\t') {
			continue
		}
		line := []byte(strings.TrimRight(text, "\n"))
		for _, t := range times {
			if at, ok := m[t]; ok {
				line = withTime(line, at)
				break
			}
		}
		s.to = append(append(s.to, line...), '\n')
		return
	}
}

// member appends the member of an object that has lines of the reader: one of those that programs use for a text,
// or any other that the reader knows a line in.
func (s *scanner) member(m map[string]string) {
	give := func(text string) {
		s.to = append(append(s.to, strings.TrimRight(text, "\r\n")...), '\n')
	}
	if s.of.Sign != nil {
		for _, key := range append(slices.Clip(texts), slices.Sorted(maps.Keys(m))...) {
			if text := m[key]; text != "" && s.of.sign([]byte(text)) {
				if s.key = ""; !slices.Contains(texts, key) {
					s.key = key
				}
				give(text)
				return
			}
		}
	}
	if text, ok := m[s.key]; ok {
		give(text)
		return
	}
	for _, key := range texts {
		if text, ok := m[key]; ok {
			if long := longest(m); !strings.Contains(text, "\n") && long != "" {
				text = long
			}
			give(text)
			return
		}
	}
}

// leastLong is how many lines a text has that says more than the message beside it: an output that was logged.
const leastLong = 5

// longest is the member with the most lines; "" where none is long.
func longest(m map[string]string) string {
	text, most := "", leastLong-1
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if n := strings.Count(m[key], "\n"); n >= most {
			text, most = m[key], n+1
		}
	}
	return text
}

func (s *scanner) entry(in string, m map[string]string) {
	s.to = append(s.to, '{')
	for _, c := range columns {
		for _, key := range c.of {
			v, ok := m[in+key]
			if !ok || v == "" {
				continue
			}
			switch c.name {
			case "remote_host":
				if i := strings.LastIndexByte(v, ':'); i > 0 {
					v = v[:i]
				}
			case "timestamp":
				if t, ok := parseTime(v); ok {
					v = t
				}
			}
			if s.to[len(s.to)-1] != '{' {
				s.to = append(s.to, ',')
			}
			s.to = append(s.to, '"')
			s.to = append(append(s.to, c.name...), `":"`...)
			s.to = appendEscaped(s.to, v)
			s.to = append(s.to, '"')
			break
		}
	}
	s.to = append(s.to, "}\n"...)
}

func appendEscaped(to []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			to = append(to, '\\', c)
		case c == '\n':
			to = append(to, `\n`...)
		case c == '\t':
			to = append(to, `\t`...)
		case c < ' ':
			to = append(to, ' ')
		default:
			to = append(to, c)
		}
	}
	return to
}
