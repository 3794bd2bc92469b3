package pgclient

import (
	"unicode/utf8"
)

// answer writes the rows of a query as the JSON form of pg.Rows while they
// come, one row a line so that a person can read and compare them. It does not
// go through pg.Rows: the settings alone are 5,000 values.
type answer struct {
	buf  []byte
	rows int
}

const hexDigits = "0123456789abcdef"

// columns begins the answer.
func (w *answer) columns(names []string) {
	w.buf = append(w.buf[:0], `{"columns":[`...)
	for i, n := range names {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.text([]byte(n))
	}
	w.buf = append(w.buf, `],"rows":[`...)
	w.rows = 0
}

// row adds one row; a nil value is NULL.
func (w *answer) row(values [][]byte) {
	if w.rows > 0 {
		w.buf = append(w.buf, ',')
	}
	w.rows++
	w.buf = append(w.buf, "\n["...)
	for i, v := range values {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if v == nil {
			w.buf = append(w.buf, "null"...)
			continue
		}
		w.text(v)
	}
	w.buf = append(w.buf, ']')
}

// bytes ends the answer and returns a copy of it.
func (w *answer) bytes() []byte {
	end := "\n]}\n"
	if w.rows == 0 {
		end = "]}\n"
	}
	out := make([]byte, 0, len(w.buf)+len(end))
	return append(append(out, w.buf...), end...)
}

// text adds a JSON string. A server of encoding SQL_ASCII sends whatever bytes
// its clients stored: those that are no UTF-8 become U+FFFD, as JSON has no
// other way.
func (w *answer) text(s []byte) {
	w.buf = append(w.buf, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			w.buf = append(w.buf, '\\', c)
		case c < ' ' || c == 0x7f:
			w.buf = append(w.buf, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		case c < utf8.RuneSelf:
			w.buf = append(w.buf, c)
		default:
			r, n := utf8.DecodeRune(s[i:])
			w.buf = utf8.AppendRune(w.buf, r)
			i += n
			continue
		}
		i++
	}
	w.buf = append(w.buf, '"')
}
