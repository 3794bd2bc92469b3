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

// charsets are those of the languages that the server has messages in. ISO 8859-1 and ISO 8859-15 are windows-1252 but
// for a few signs that no message has.
var charsets = []*charmap.Charmap{charmap.Windows1252, charmap.Windows1250, charmap.ISO8859_2, charmap.Windows1251,
	charmap.KOI8R}

// maxJudged is how many lines that are not UTF-8 an encoding is judged by.
const maxJudged = 200

// charsetOf is the encoding in which most lines of a head have words of the server's that are not ASCII; nil where
// the head is UTF-8, or in none.
func charsetOf(head []byte) *charmap.Charmap {
	if utf8.Valid(head) {
		return nil
	}
	var odd [][]byte
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		if !utf8.Valid(line) && len(odd) < maxJudged {
			odd = append(odd, line)
		}
	}
	var best *charmap.Charmap
	most := 0
	for _, c := range charsets {
		n := 0
		for _, line := range odd {
			n += score(c, line)
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// score counts what a line has of the server's words in an encoding.
func score(c *charmap.Charmap, line []byte) (n int) {
	text := decode(nil, line, c)
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

// decode appends a line in UTF-8. One that is UTF-8 already stays as it is.
func decode(to, line []byte, from *charmap.Charmap) []byte {
	if utf8.Valid(line) {
		return append(to, line...)
	}
	for _, b := range line {
		to = utf8.AppendRune(to, from.DecodeByte(b))
	}
	return to
}

// recoded is a stream in UTF-8 of one in another encoding.
func recoded(in *lines, from *charmap.Charmap) io.Reader {
	return &rewriter{in: in, rewrite: func(to, line []byte) []byte { return append(decode(to, line, from), '\n') }}
}
