package render

import (
	"fmt"
	"regexp"
	"strings"
)

// bare is what postgresql.conf takes without quotes: a whole number with or
// without a unit, a plain decimal, an identifier. Its lexer takes "0.5ms" for
// no token at all, so everything else is quoted.
var bare = regexp.MustCompile(`^(-?[0-9]+[A-Za-z]*|-?[0-9]+\.[0-9]+|[A-Za-z][A-Za-z0-9_]*)$`)

// confValue spells a value for postgresql.conf.
func confValue(v string) string {
	if bare.MatchString(v) {
		return v
	}
	return "'" + confEscape(v) + "'"
}

// confEscape writes what may not stand raw between the quotes of
// postgresql.conf: the file's lexer reads \n, \t and \ooo there, and two quotes
// for one.
func confEscape(v string) string {
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '\'':
			b.WriteString("''")
		case c == '\\':
			b.WriteString(`\\`)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// sqlString spells a string constant of SQL, right under both settings of
// standard_conforming_strings.
func sqlString(v string) string {
	if !strings.ContainsFunc(v, func(r rune) bool { return r == '\\' || r < 0x20 || r == 0x7f }) {
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '\'':
			b.WriteString("''")
		case c == '\\':
			b.WriteString(`\\`)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return "E'" + b.String() + "'"
}

// lists are the settings whose value is a list of quoted names
// (GUC_LIST_QUOTE). ALTER SYSTEM takes one string for one name, commas and
// all: SET shared_preload_libraries = 'a,b' would name one library "a,b" and
// keep the server from starting.
var lists = map[string]bool{
	"shared_preload_libraries": true, "session_preload_libraries": true, "local_preload_libraries": true,
	"search_path": true, "temp_tablespaces": true,
}

// splitList reads the text of such a setting: names separated by commas, in
// double quotes where they hold anything unusual.
func splitList(v string) []string {
	var out []string
	var at strings.Builder
	quoted, any := false, false
	end := func() {
		if s := at.String(); any || strings.TrimSpace(s) != "" {
			if !any {
				s = strings.TrimSpace(s)
			}
			out = append(out, s)
		}
		at.Reset()
		any = false
	}
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '"' && quoted && i+1 < len(v) && v[i+1] == '"':
			at.WriteByte('"')
			i++
		case c == '"':
			if !quoted && strings.TrimSpace(at.String()) == "" {
				at.Reset()
			}
			quoted, any = !quoted, true
		case c == ',' && !quoted:
			end()
		case any && !quoted && (c == ' ' || c == '\t'): // between the closing quote and the comma
		default:
			at.WriteByte(c)
		}
	}
	end()
	return out
}

// comment writes a text as comment lines of at most width columns behind mark.
func comment(b *strings.Builder, mark, text string, width int) {
	for _, l := range cleanLines(text) {
		for _, w := range wrap(l, width-runes(mark)-1) {
			b.WriteString(strings.TrimRight(mark+" "+w, " ") + "\n")
		}
	}
}
