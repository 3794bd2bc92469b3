package pglog

import (
	"bytes"
	"strings"
)

// Set is a parameter that a session has set for itself. Value is as it was written, without quotes.
type Set struct{ Name, Value string }

// Sets returns what the statements of a text set for the session: SET name = value and SET SESSION name TO value, for
// which a client may send several in one text. What ends with the transaction (SET LOCAL) is not among it, nor what has
// a grammar of its own: SET TRANSACTION, SET ROLE and others.
func Sets(sql []byte) (out []Set) {
	for len(sql) > 0 {
		var one []byte
		one, sql = cutStatement(sql)
		if s, ok := setOf(strings.TrimSpace(string(one))); ok {
			out = append(out, s)
		}
	}
	return out
}

// cutStatement divides a text at its first semicolon that is not within quotes.
func cutStatement(sql []byte) (one, rest []byte) {
	quote := byte(0)
	for i, c := range sql {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ';':
			return sql[:i], sql[i+1:]
		}
	}
	return sql, nil
}

// setOf reads one statement.
func setOf(one string) (Set, bool) {
	rest, ok := cutWord(one, "set")
	if !ok {
		return Set{}, false
	}
	if r, ok := cutWord(rest, "session"); ok {
		rest = r
	}
	n := 0
	for n < len(rest) && (nameByte(rest[n]) || rest[n] == '.') {
		n++
	}
	name, value := strings.ToLower(rest[:n]), strings.TrimSpace(rest[n:])
	if v, ok := strings.CutPrefix(value, "="); ok {
		value = v
	} else if v, ok := cutWord(value, "to"); ok {
		value = v
	} else {
		return Set{}, false
	}
	if value = strings.TrimSpace(value); name == "" || value == "" {
		return Set{}, false
	}
	return Set{name, strings.Trim(value, "'")}, true
}

// cutWord removes a word in any case from the beginning of a text, and the blanks behind it.
func cutWord(s, word string) (string, bool) {
	if len(s) <= len(word) || !strings.EqualFold(s[:len(word)], word) || nameByte(s[len(word)]) {
		return s, false
	}
	return strings.TrimLeft(s[len(word):], " \t\n\r"), true
}

// PlanSettings returns what auto_explain.log_settings wrote below the plan of a statement: the parameters of the
// planner that differ from their built-in defaults.
func (e *Entry) PlanSettings() (out []Set) {
	_, text, ok := bytes.Cut(e.Message, []byte("Settings: "))
	if !ok {
		return nil
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	for len(line) > 0 {
		name, rest, ok := bytes.Cut(line, []byte(" = '"))
		if !ok {
			return out
		}
		value, next, ok := bytes.Cut(rest, []byte("'"))
		if !ok {
			return out // cut
		}
		out = append(out, Set{strings.ToLower(string(name)), string(value)})
		line = bytes.TrimPrefix(next, []byte(", "))
	}
	return out
}
