package pglog

import (
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/pgfettle/pgfettle/internal/fact/pglog/translated"
)

// A server writes its messages in the encoding of the database that the session is in, or of its locale. Where that is
// not UTF-8, the words of another language are only found after they are turned into it.

// charset is an encoding of one byte a character.
type charset struct {
	name string
	from *charmap.Charmap
}

// charsets are those of the languages that the server has messages in. ISO 8859-1 and ISO 8859-15 are windows-1252 but
// for a few signs that no message has.
var charsets = []charset{{"windows-1252", charmap.Windows1252}, {"windows-1250", charmap.Windows1250},
	{"ISO 8859-2", charmap.ISO8859_2}, {"windows-1251", charmap.Windows1251}, {"KOI8-R", charmap.KOI8R}}

// maxJudged is how many lines that are not UTF-8 an encoding is judged by.
const maxJudged = 200

// charsetOf is the encoding in which most lines of a head have words of the server's that are not ASCII; nil where
// the head is UTF-8, or in none.
func charsetOf(head []byte) *charset {
	if utf8.Valid(head) {
		return nil
	}
	var odd [][]byte
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		if !utf8.Valid(line) && len(odd) < maxJudged {
			odd = append(odd, line)
		}
	}
	var best *charset
	most := 0
	for i := range charsets {
		c := &charsets[i]
		n := 0
		for _, line := range odd {
			n += c.score(line)
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// score counts what a line has of the server's words in an encoding.
func (c *charset) score(line []byte) (n int) {
	text := c.append(nil, line)
	at := findLabel(text)
	if at < 0 {
		return 0
	}
	_, rest, _ := labelled(text[at:], false, false)
	word := text[at:min(len(text), at+maxLabel)]
	if i := bytes.IndexByte(word, ':'); i > 0 && bytes.IndexFunc(bytes.TrimRight(word[:i], " \u00a0"), notASCII) >= 0 {
		n++
	}
	if _, language, ok := translated.English(rest, ""); ok && language != "" && bytes.IndexFunc(rest, notASCII) >= 0 {
		n++
	}
	return n
}

func notASCII(r rune) bool { return r >= utf8.RuneSelf }

// append appends a line in UTF-8.
func (c *charset) append(to, line []byte) []byte {
	for _, b := range line {
		if b < utf8.RuneSelf {
			to = append(to, b)
		} else {
			to = utf8.AppendRune(to, c.from.DecodeByte(b))
		}
	}
	return to
}

// recoder hands out lines in UTF-8: those that are not are turned into it.
type recoder struct {
	in   *lines
	from *charset
	left []byte
	out  []byte
}

// Read implements io.Reader.
func (r *recoder) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		line, ok := r.in.next()
		if !ok {
			if r.in.err != nil {
				return 0, r.in.err
			}
			return 0, io.EOF
		}
		if utf8.Valid(line) {
			r.out = append(r.out[:0], line...)
		} else {
			r.out = r.from.append(r.out[:0], line)
		}
		r.out = append(r.out, '\n')
		r.left = r.out
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}
