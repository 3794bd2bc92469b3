package pglog

import "bytes"

// Fingerprint makes a statement anonymous and comparable: literals become ?, a list
// of them one ?, comments go, white space shrinks. It returns the text, cut at most
// to most bytes, and a hash of all of it. buf is written over; the text is in it.
//
// It is no parser: a backslash escapes only in E'…', and U&'…', B'…' and X'…' count
// as literals like any other. Names in double quotes stay.
func Fingerprint(sql []byte, buf []byte, most int) (text []byte, hash uint64) {
	out := buf[:0]
	last := byte(' ')
	put := func(c byte) {
		out = append(out, c)
		last = c
	}
	space := func() {
		if last != ' ' && last != '(' {
			put(' ')
		}
	}
	literal := func() {
		// «?, ?» is one: lists of any length are the same statement.
		switch n := len(out); {
		case n >= 2 && out[n-1] == ',' && out[n-2] == '?':
			out, last = out[:n-1], '?'
		case n >= 3 && out[n-1] == ' ' && out[n-2] == ',' && out[n-3] == '?':
			out, last = out[:n-2], '?'
		default:
			put('?')
		}
	}
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c <= ' ':
			space()
			i++
		case c == '-' && i+1 < len(sql) && sql[i+1] == '-':
			for i < len(sql) && sql[i] != '\n' {
				i++
			}
			space()
		case c == '/' && i+1 < len(sql) && sql[i+1] == '*':
			depth := 0
			for i < len(sql) {
				switch {
				case i+1 < len(sql) && sql[i] == '/' && sql[i+1] == '*':
					depth++
					i += 2
				case i+1 < len(sql) && sql[i] == '*' && sql[i+1] == '/':
					depth--
					i += 2
				default:
					i++
				}
				if depth == 0 {
					break
				}
			}
			space()
		case c == '\'':
			escapes := i > 0 && (sql[i-1] == 'E' || sql[i-1] == 'e') && (i == 1 || !nameByte(sql[i-2]))
			if i = endQuote(sql, i, escapes); escapes {
				out = out[:len(out)-1]
				last = ' '
				if len(out) > 0 {
					last = out[len(out)-1]
				}
			}
			literal()
		case c == '"':
			j := i + 1
			for j < len(sql) && sql[j] != '"' {
				j++
			}
			for ; i <= j && i < len(sql); i++ {
				put(sql[i])
			}
		case c == '$':
			if n := dollar(sql[i:]); n > 0 {
				i += n
				literal()
				break
			}
			put('$')
			i++
			for i < len(sql) && isDigit(sql[i]) { // a parameter, and no literal
				put(sql[i])
				i++
			}
		case isDigit(c) && !nameByte(last):
			for i < len(sql) && (isDigit(sql[i]) || sql[i] == '.' || sql[i] == '_' || sql[i] >= 'a' && sql[i] <= 'z' ||
				sql[i] >= 'A' && sql[i] <= 'Z' ||
				(sql[i] == '+' || sql[i] == '-') && (sql[i-1] == 'e' || sql[i-1] == 'E')) {
				i++
			}
			literal()
		case c == ')':
			put(c)
			i++
			for _, rows := range []string{"(?), (?)", "(?),(?)"} { // so are lists of rows
				if bytes.HasSuffix(out, []byte(rows)) {
					out = out[:len(out)-len(rows)+3]
				}
			}
		default:
			put(c)
			i++
		}
	}
	for len(out) > 0 && (out[len(out)-1] == ' ' || out[len(out)-1] == ';') {
		out = out[:len(out)-1]
	}
	const (
		offset = 14695981039346656037 // FNV-1a, 64 bits
		prime  = 1099511628211
	)
	hash = offset
	for _, c := range out {
		hash = (hash ^ uint64(c)) * prime
	}
	if len(out) > most {
		out = out[:most]
	}
	return out, hash
}

// nameByte says whether a byte can be of a name.
func nameByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// endQuote returns where a literal ends that begins at i; one that does not end, as
// the statement was cut, goes to the end.
func endQuote(sql []byte, i int, escapes bool) int {
	for i++; i < len(sql); i++ {
		switch {
		case escapes && sql[i] == '\\':
			i++
		case sql[i] == '\'' && i+1 < len(sql) && sql[i+1] == '\'':
			i++
		case sql[i] == '\'':
			return i + 1
		}
	}
	return len(sql)
}

// dollar returns the length of a literal in dollar quotes, 0 where there is none.
func dollar(b []byte) int {
	n := 1
	for n < len(b) && b[n] != '$' {
		if !nameByte(b[n]) || n == 1 && isDigit(b[n]) || n > 64 {
			return 0
		}
		n++
	}
	if n >= len(b) {
		return 0
	}
	tag := b[:n+1]
	for i := n + 1; i+len(tag) <= len(b); i++ {
		if b[i] == '$' && string(b[i:i+len(tag)]) == string(tag) {
			return i + len(tag)
		}
	}
	return len(b)
}
