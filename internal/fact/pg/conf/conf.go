// Package conf reads and writes the server's configuration files: the grammar
// of postgresql.conf as the server's own lexer has it, without losing a byte, the
// order in which files include one another, and postgresql.auto.conf as ALTER
// SYSTEM writes it. It is pure: texts and an fs.FS in, texts and facts out.
package conf

import (
	"fmt"
	"strings"
)

// AutoFile is the name of the file that ALTER SYSTEM writes in the data
// directory; the server reads it last.
const AutoFile = "postgresql.auto.conf"

// Line is one line of a configuration file.
type Line struct {
	Text  string // as it stands there, with its line end; the last one may have none
	Name  string // of the setting or directive, as spelled; "" for a comment, an empty or a faulty line
	Value string // unquoted
	Err   string // what the server would complain of; "" for a good line
}

// Parse takes a text apart. Joined, the lines' Text is the text again. A line
// that the server would refuse has Err; the server goes on behind it and then
// takes nothing of the whole configuration.
func Parse(text string) []Line {
	var out []Line
	for len(text) > 0 {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		out = append(out, parseLine(text[:end]))
		text = text[end:]
	}
	return out
}

// Format is the reverse of Parse.
func Format(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text)
	}
	return b.String()
}

func parseLine(text string) Line {
	l := Line{Text: text}
	lex := lexer{text: strings.TrimSuffix(text, "\n")}
	fault := func(t token) Line {
		near := "the end of the line"
		if t.kind != end {
			near = fmt.Sprintf("%q", t.text)
		}
		return Line{Text: text, Err: "syntax error near " + near}
	}
	t := lex.next()
	if t.kind == end {
		return l
	}
	if t.kind != identifier && t.kind != qualified {
		return fault(t)
	}
	l.Name = t.text
	if t = lex.next(); t.kind == equals {
		t = lex.next()
	}
	switch t.kind {
	case quoted:
		if strings.Contains(t.text, "\x00") { // where the server's string would end, and its last character with it
			return fault(t)
		}
		l.Value = unquote(t.text)
	case identifier, number, bareword:
		l.Value = t.text
	default:
		return fault(t)
	}
	if t = lex.next(); t.kind != end {
		return fault(t)
	}
	return l
}

// Same says whether two names of settings are one: the server compares ASCII
// letters without regard to case.
func Same(a, b string) bool { return lower(a) == lower(b) }

// lower is ASCII only, as the server's guc_name_compare is.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// directive says whether a name is one of those that include files.
func directive(name string) bool {
	switch lower(name) {
	case "include", "include_if_exists", "include_dir":
		return true
	}
	return false
}
