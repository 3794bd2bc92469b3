package unwrap

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// textItem is an element of a list of texts, of JSON or YAML, or a row of CSV with one column.
var textItem = regex.New(`^[ \t]*(?:- )?"(?:[^"\\]|\\.|"")*",?[ \t]*$`)

// bracket is a line with nothing but one.
var bracket = regex.New(`^[ \t]*[\[\]{}],?[ \t]*$`)

// findStrings finds lines that are elements of a list of texts: stdout_lines of Ansible, a list of YAML, CSV.
func findStrings(s *sample) cut {
	const least = 3
	share := 0.9
	if s.anyLine() {
		share = 0.7 // the brackets, and the names before them, count too
	}
	has := func(l []byte) bool { return textItem.Match(l) || bracket.Match(l) }
	if s.count(textItem.Match) < least || !s.most(share, has) || !s.all(0.5, has) {
		return nil
	}
	return each(func(l []byte) []byte {
		if !textItem.Match(l) {
			return l
		}
		t := bytes.TrimSuffix(bytes.TrimSpace(l), []byte{','})
		t = bytes.TrimPrefix(t, []byte("- "))
		var text string
		if !bytes.Contains(t[1:len(t)-1], []byte(`""`)) && json.Unmarshal(t, &text) == nil {
			return bytes.TrimRight([]byte(text), "\r\n")
		}
		return bytes.ReplaceAll(t[1:len(t)-1], []byte(`""`), []byte{'"'})
	})
}

// leastBreaks ends of lines that are written out make a line one that was many.
const leastBreaks = 4

var brokenLine = []byte(`\n`)

// findLiteral finds a text of several lines in one, with \n for the ends of its lines.
func findLiteral(s *sample) cut {
	has := func(l []byte) bool {
		// In a log a line of a statement may have them; then it does not begin with a quotation mark.
		return bytes.Count(l, brokenLine) >= leastBreaks && (s.Labeled == nil || l[0] == '"') && !s.object(l)
	}
	if !most(s.signs, 0.5, has) {
		return nil
	}
	return func(l line, out func(line)) {
		if ends(l) {
			return
		}
		if !s.is(l.text) || !has(l.text) {
			out(l)
			return
		}
		inside, behind := quotedIn(l.text)
		unescaped(inside, l.number, out)
		if len(bytes.Trim(behind, " \t}]),;")) > 0 {
			out(line{behind, l.number})
		}
	}
}

// quotedIn is the string of a line in which the ends of lines are written out, and what stands behind it; the whole
// line where none is quoted.
func quotedIn(l []byte) (inside, behind []byte) {
	first := bytes.Index(l, brokenLine)
	for at := 0; at < first; {
		i := bytes.IndexAny(l[at:first], `"'`)
		if i < 0 {
			break
		}
		from := at + i
		end := from + 1
		for end < len(l) && l[end] != l[from] {
			if l[end] == '\\' {
				end++
			}
			end++
		}
		if end = min(end, len(l)); end > first && (from == 0 || bytes.IndexByte([]byte(" \t:=([{,"), l[from-1]) >= 0) {
			return l[from+1 : end], l[min(end+1, len(l)):]
		}
		at = end + 1
	}
	return l, nil
}

// unescaped hands out the lines of a string.
func unescaped(t []byte, number int, out func(line)) {
	given := make([]byte, 0, len(t))
	for i := 0; i < len(t); i++ {
		if t[i] != '\\' || i+1 == len(t) {
			given = append(given, t[i])
			continue
		}
		i++
		switch t[i] {
		case 'n':
			out(line{given, number})
			given = given[:0]
		case 't':
			given = append(given, '\t')
		case 'r':
		case '"', '\\', '\'', '/':
			given = append(given, t[i])
		default:
			if r, n := unicodeAt(t[i-1:]); n > 0 {
				given = utf8.AppendRune(given, r)
				i += n - 2
			} else {
				given = append(given, '\\', t[i])
			}
		}
	}
	if len(bytes.TrimSpace(given)) > 0 {
		out(line{given, number})
	}
}

// unicodeAt reads \u00e9 at the beginning of a text, and says how many bytes that is; 0: it is none.
func unicodeAt(b []byte) (rune, int) {
	const one = len(`\u0000`)
	for _, n := range []int{2 * one, one} { // a pair of surrogates first
		if len(b) < n {
			continue
		}
		var s string
		if b[1] != 'u' || json.Unmarshal(append(append([]byte{'"'}, b[:n]...), '"'), &s) != nil {
			continue
		}
		if r := []rune(s); len(r) == 1 {
			return r[0], n
		}
	}
	return 0, 0
}
