package pglog

import (
	"bytes"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

const (
	// maxObject is how far from its severity the words of an error may stand in what a driver prints.
	maxObject = 4000
	// maxObjects are read of one paste.
	maxObjects = 100
)

// driverErrors reads the errors of the server that a client's driver printed as objects, where a paste has nothing else
// of it: «error: … { severity: 'FATAL', code: '53300', … }», the same in JSON, and as structures of other languages.
func driverErrors(text []byte, out *counter) {
	for at, n := 0, 0; n < maxObjects; n++ {
		i := keyAt(text[at:], "severity")
		if i < 0 {
			return
		}
		at += i
		l, ok := labels()[string(value(text[at:]))]
		if !ok || l.part != partMessage || l.severity < Error {
			continue
		}
		from, to := max(at-maxObject, 0), min(at+maxObject, len(text))
		if j := bytes.LastIndexByte(text[from:at], '{'); j >= 0 {
			from += j
		}
		if j := keyAt(text[at:to], "severity"); j >= 0 { // the next one's
			to = at + j
		}
		object := text[from : from+closed(text[from:to])]
		e := Entry{Severity: l.severity, State: stateIn(object), Message: valueOf(object, "message"),
			Detail: valueOf(object, "detail"), Hint: valueOf(object, "hint"), Context: valueOf(object, "where"),
			Line: int64(1 + bytes.Count(text[:at], []byte{'\n'}))}
		if len(e.Message) == 0 {
			e.Message = title(text[max(at-maxObject, 0):at])
		}
		if len(e.State) > 0 && len(e.Message) > 0 && ofServer(object) {
			out.entry(&e)
		}
	}
}

var (
	// goStruct is the error of pgconn as Go prints a structure: «&{Severity:ERROR … Code:XX000 Message:… Detail: …».
	goStruct = regex.New(`(?s)Severity:([A-Z]{3,8}) SeverityUnlocalized:[A-Z]* Code:([0-9A-Z]{5}) ?` +
		`Message:(.{1,400}?)\sDetail:(.{0,900}?)\sHint:(.{0,900}?)\sPosition:`)
	// goError is it as text; a terminal may have folded it once.
	goError = regex.New(`(ERROR|FATAL|PANIC): ([^\n]{1,300}(?:\n[^\n]{1,200})??)\s\(SQLSTATE ([0-9A-Z]{5})\)`)
	// javaError is one of the JDBC driver, whose parts stand on lines of their own.
	javaError = regex.New(`PSQLException: (ERROR|FATAL|PANIC): ([^\n]{1,400})`)
	// javaPart is one of them.
	javaPart = regex.New(`^\s*(Detail|Hint|Where): (.*)$`)
)

// thrown reads the errors of the server as drivers of Go and Java write them, where a paste has nothing else of it.
func thrown(text []byte, out *counter) {
	number := func(at int) int64 { return int64(1 + bytes.Count(text[:at], []byte{'\n'})) }
	plain := func(b []byte) []byte { return bytes.TrimSpace(bytes.ReplaceAll(b, []byte{'\n'}, []byte{' '})) }
	severity := func(b []byte) Severity { return labels()[string(b)].severity }
	for _, m := range goStruct.Regexp().FindAllSubmatchIndex(text, maxObjects) {
		part := func(i int) []byte { return text[m[2*i]:m[2*i+1]] }
		out.entry(&Entry{Severity: severity(part(1)), State: part(2), Message: plain(part(3)), Detail: plain(part(4)),
			Hint: plain(part(5)), Line: number(m[0])})
	}
	if out.src.Entries > 0 {
		return
	}
	for _, m := range goError.Regexp().FindAllSubmatchIndex(text, maxObjects) {
		out.entry(&Entry{Severity: severity(text[m[2]:m[3]]), Message: plain(text[m[4]:m[5]]), State: text[m[6]:m[7]],
			Line: number(m[0])})
	}
	if out.src.Entries > 0 {
		return
	}
	for _, m := range javaError.Regexp().FindAllSubmatchIndex(text, maxObjects) {
		e := Entry{Severity: severity(text[m[2]:m[3]]), Message: plain(text[m[4]:m[5]]), Line: number(m[0])}
		to := &e.Message
		for line := range bytes.SplitSeq(bytes.TrimPrefix(text[m[1]:], []byte{'\n'}), []byte{'\n'}) {
			p := javaPart.FindSubmatch(line)
			switch {
			case p != nil:
				to = map[string]*[]byte{"Detail": &e.Detail, "Hint": &e.Hint, "Where": &e.Context}[string(p[1])]
				*to = bytes.Clone(p[2])
				continue
			case to == &e.Message, len(bytes.TrimSpace(line)) == 0, bytes.HasPrefix(line, []byte("\tat ")),
				bytes.HasPrefix(bytes.TrimSpace(line), []byte("...")):
			default:
				*to = append(append(*to, '\n'), line...)
				continue
			}
			break
		}
		out.entry(&e)
	}
}

// stateClasses are the classes of SQLSTATE that errors of PostgreSQL have.
const stateClasses = "08 09 0A 0B 0F 0L 0P 0Z 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 40 42 44 53 54 " +
	"55 57 58 72 F0 HV P0 XX "

// ofServer says whether an object has a field that only the errors of the server have.
func ofServer(object []byte) bool {
	for _, key := range []string{"routine", "detail", "where", "hint", "pg_code", "severity_local", "parsed_severity"} {
		if keyAt(object, key) >= 0 {
			return true
		}
	}
	return false
}

// closed is the length of an object up to its closing brace; all of a text that does not have it.
func closed(b []byte) int {
	depth := 0
	for i, c := range b {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return len(b)
}

// keyAt returns where the value of a key begins: behind «key: », «"key":», «key=» or «key => »; -1: there is none.
func keyAt(b []byte, key string) int {
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(key))
		if i < 0 {
			return -1
		}
		start := at + i
		at = start + len(key)
		if start > 0 && (wordByte(b[start-1]) || b[start-1] == '_') {
			continue
		}
		n := at + span(b[at:], func(c byte) bool { return c == '"' || c == '\'' || c == ' ' || c == '\\' })
		if n < len(b) && (b[n] == ':' || b[n] == '=') {
			return n + span(b[n:], func(c byte) bool { return c == ':' || c == '=' || c == '>' || c == ' ' })
		}
	}
}

// valueOf is the value of a key in an object; nil where it has none.
func valueOf(object []byte, key string) []byte {
	i := keyAt(object, key)
	if i < 0 {
		return nil
	}
	v := value(object[i:])
	switch string(v) {
	case "undefined", "null", "nil", "None":
		return nil
	}
	return v
}

// value is the text that begins an object's value, without its quotation marks.
func value(b []byte) []byte {
	b = bytes.TrimPrefix(b, []byte("Some("))
	b = bytes.TrimPrefix(b, []byte(`\`))
	if len(b) == 0 {
		return nil
	}
	quote := b[0]
	if quote != '"' && quote != '\'' && quote != '`' {
		return bytes.TrimSpace(b[:span(b, func(c byte) bool { return c != ',' && c != '\n' && c != '}' && c != ')' })])
	}
	var out []byte
	for i := 1; i < len(b) && len(out) < maxField; i++ {
		switch {
		case b[i] == quote:
			return out
		case b[i] == '\\' && i+1 < len(b):
			if i++; b[i] == 'n' {
				out = append(out, '\n')
			} else if b[i] == quote {
				if b[i-2] == '\\' || i+1 < len(b) && (b[i+1] == ',' || b[i+1] == '}') { // of a text in a text
					return out
				}
				out = append(out, b[i])
			} else {
				out = append(out, b[i])
			}
		default:
			out = append(out, b[i])
		}
	}
	return out
}

// stateIn is the SQLSTATE of an object.
func stateIn(object []byte) []byte {
	for _, key := range []string{"pg_code", "code", "sqlstate", "sqlState", "SQLState", "Code"} {
		v := valueOf(object, key)
		if i := bytes.LastIndexByte(v, '('); i >= 0 { // SqlState(E40P01)
			v = bytes.TrimPrefix(v[i+1:], []byte("E"))
		}
		if v = bytes.TrimSpace(v); isState(v) && strings.Contains(stateClasses, string(v[:2])+" ") {
			return v
		}
	}
	return nil
}

// title is the message that stands before an object: «Error: … {», «{ [error: …]».
func title(before []byte) []byte {
	i := bytes.LastIndex(before, []byte("rror: "))
	if i < 0 {
		return nil
	}
	text := before[i+len("rror: "):]
	if n := bytes.IndexAny(text, "\n]"); n >= 0 {
		text = text[:n]
	}
	return bytes.TrimRight(text, " {")
}
