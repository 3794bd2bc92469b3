package pasted

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// rowLiteral is the first line of a plan as a string of a program: a quote, a node, its numbers.
var rowLiteral = regex.New(`(['"]) *(?:-> +)?` + strings.TrimPrefix(HeadWords, "^") + `[^\n]*?\((?:cost=|actual )`)

// literals takes the lines of a plan out of the strings of a program: rows that psycopg, node-postgres, Ruby, or PHP
// printed, or one string with \n. Strings without anything between them but blanks are one. What has no strings is
// returned as it is.
func literals(text string) string {
	m := rowLiteral.FindStringIndex(text)
	if m == nil {
		return text
	}
	for _, mark := range Marks { // a plan stands bare before it
		if i := strings.Index(text, mark); i >= 0 && i < m[0] {
			return text
		}
	}
	before := strings.TrimRight(text[:m[0]], " \t\n")
	first, end := literal(text, m[0])
	whole := strings.Contains(first, "\n")
	// A string a line: with double quotes alone it is CSV, which is read elsewhere.
	alone := (m[0] == 0 || text[m[0]-1] == '\n') && (text[m[0]] == '\'' || strings.HasPrefix(text[end:], ","))
	if !whole && !alone && (before == "" || !strings.ContainsRune("([{,:=>)", rune(before[len(before)-1]))) {
		return text
	}
	var out strings.Builder
	out.WriteString(first)
	for at := end; at < len(text); {
		i := strings.IndexAny(text[at:], `'"`)
		if i < 0 {
			break
		}
		gap := text[at : at+i]
		if whole && strings.TrimSpace(gap) != "" && !strings.ContainsAny(gap, "+.") {
			out.WriteString("\n" + text[at:]) // what follows the one string
			return out.String()
		}
		val, end := literal(text, at+i)
		at = end
		if val == "QUERY PLAN" || val == "?column?" {
			continue
		}
		if (strings.TrimSpace(gap) != "" || alone) && !strings.HasSuffix(out.String(), "\n") {
			out.WriteByte('\n')
		}
		out.WriteString(val)
		if out.Len() > maxText {
			break
		}
	}
	return out.String()
}

// literal reads the string that begins with the quote at a place, and where what follows it begins. One that is cut
// off ends with the text.
func literal(text string, at int) (string, int) {
	quote := text[at]
	var b strings.Builder
	for i := at + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			var n int
			i++
			n = escape(&b, text[i:])
			i += n - 1
		case c == quote && i+1 < len(text) && text[i+1] == quote && (quote == '\'' || i > at+1): // as SQL does
			b.WriteByte(c)
			i++
		case c == quote:
			return b.String(), i + 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(text)
}

// escape writes what stands behind a backslash, and says how many bytes it has.
func escape(b *strings.Builder, s string) int {
	switch s[0] {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
	case 'u', 'x':
		digits := 4
		if s[0] == 'x' {
			digits = 2
		}
		if len(s) > digits {
			if v, err := strconv.ParseUint(s[1:1+digits], 16, 32); err == nil {
				b.WriteRune(rune(v))
				return 1 + digits
			}
		}
		b.WriteByte(s[0])
	default:
		_, n := utf8.DecodeRuneInString(s)
		b.WriteString(s[:n])
		return n
	}
	return 1
}

var (
	// dictKey begins a plan in FORMAT JSON that a program decoded and printed in its own form.
	dictKey = regex.New(`'(?:Plan|Node Type)' ?:|"(?:Plan|Node Type)" ?=>|\bPlan: \{`)
	// looseKey is that of JSON, and loose what JSON does not have and Python does: its words, and a comma behind the
	// last
	// element.
	looseKey = regex.New(`"(?:Plan|Node Type)" ?:`)
	loose    = regex.New(`"[^"\n]{1,60}" ?: ?(?:True|False|None)\b|["\d\]}el],\s*\n\s*[}\]]|` +
		// and remarks behind a value or on lines of their own, and the dots for what a person left out
		`(?m)["\d\]}el{\[],?[ \t]*(?:--|//|#|/\*|←|<-)[^\n]*$|^[ \t]*(?:--|//|#|/\*|\.{3}|…)[^\n]*$`)
	// escapedKey is that of JSON within a string.
	escapedKey = regex.New(`\\"(?:Plan|Node Type)\\" ?:`)
	dictWord   = regex.New(`^[A-Za-z_][A-Za-z_0-9]*`)
)

// remarkLen is how long the remark is that a text begins with, up to the end of its line, or the dots for what was left
// out; 0: it begins with none.
func remarkLen(s string) int {
	for _, mark := range []string{"--", "//", "#", "←", "<-"} {
		if strings.HasPrefix(s, mark) {
			if i := strings.IndexByte(s, '\n'); i >= 0 {
				return i
			}
			return len(s)
		}
	}
	switch {
	case strings.HasPrefix(s, "/*"):
		if i := strings.Index(s, "*/"); i >= 0 {
			return i + 2
		}
	case strings.HasPrefix(s, "…"):
		return len("…")
	case strings.HasPrefix(s, "..."):
		return len("...")
	}
	return 0
}

// lastOf says whether what follows a comma closes what it is in.
func lastOf(rest string) bool {
	for {
		rest = strings.TrimLeft(rest, " \t\n,")
		n := remarkLen(rest)
		if n == 0 {
			break
		}
		rest = rest[n:]
	}
	return rest != "" && (rest[0] == '}' || rest[0] == ']')
}

// dicts makes JSON of a plan that Python, Ruby, or JavaScript printed as an object of its own, or that stands within
// a string.
func dicts(text string) string {
	if m := escapedKey.FindStringIndex(text); m != nil {
		var b strings.Builder
		for i := 0; i < len(text); i++ {
			if text[i] == '\\' && i+1 < len(text) {
				i++
				i += escape(&b, text[i:]) - 1
				continue
			}
			b.WriteByte(text[i])
		}
		return b.String()
	}
	m := dictKey.FindStringIndex(text)
	k := looseKey.FindStringIndex(text)
	if m == nil && k != nil && loose.MatchString(text[k[0]:objectEnd(text, k[0])]) {
		m = k
	}
	if m == nil {
		return text
	}
	from := strings.LastIndexByte(text[:m[0]], '{')
	if from < 0 {
		from = m[0]
	}
	var b strings.Builder
	b.WriteString(text[:from])
	end := objectEnd(text, m[0])
	for i := from; i < end; {
		switch c := text[i]; {
		case remarkLen(text[i:]) > 0:
			i += remarkLen(text[i:])
		case c == '\'' || c == '"':
			val, end := literal(text, i)
			b.WriteString(strconv.Quote(strings.ToValidUTF8(val, "?")))
			i = end
		case c == ',' && lastOf(text[i+1:]):
			i++
		case strings.HasPrefix(text[i:], "=>"):
			b.WriteByte(':')
			i += 2
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_':
			w := dictWord.FindString(text[i:])
			i += len(w)
			switch w {
			case "True", "true":
				b.WriteString("true")
			case "False", "false":
				b.WriteString("false")
			case "None", "nil", "null", "undefined", "NULL":
				b.WriteString("null")
			default:
				b.WriteString(strconv.Quote(w))
			}
		default:
			b.WriteByte(c)
			i++
		}
	}
	if end < len(text) {
		b.WriteString(dicts(text[end:]))
	}
	return b.String()
}

// objectEnd is where the object ends in which a key stands; the end of the text if it is cut off.
func objectEnd(text string, at int) int {
	depth := 1
	for i := at; i < len(text); {
		if n := remarkLen(text[i:]); n > 0 {
			i += n
			continue
		}
		switch text[i] {
		case '\'', '"':
			_, i = literal(text, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(text)
}
