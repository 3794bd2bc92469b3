package unwrap

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var byteOrderMark = []byte("\ufeff")

// decoded makes lines of UTF-8 of a text: of UTF-16, as the shell of Windows writes it, of lines that end with a
// carriage return, alone or not.
func decoded(b []byte) ([]byte, []Layer) {
	var layers []Layer
	if order, ok := orderOf(b); ok {
		if text, err := fromUTF16(order).Bytes(b); err == nil {
			b, layers = text, append(layers, UTF16)
		}
	}
	b = bytes.TrimPrefix(b, byteOrderMark)
	if bytes.IndexByte(b, '\r') < 0 {
		return b, layers
	}
	if n := bytes.Count(b, []byte{'\r'}); n > 1 && bytes.IndexByte(b, '\n') < 0 {
		return bytes.ReplaceAll(b, []byte{'\r'}, []byte{'\n'}), append(layers, Returns)
	}
	lines := bytes.Split(b, []byte{'\n'})
	for i, l := range lines {
		lines[i] = bytes.TrimRight(l, "\r")
	}
	return bytes.Join(lines, []byte{'\n'}), layers
}

// orderOf is the order of the bytes of UTF-16; false: it is none.
func orderOf(b []byte) (unicode.Endianness, bool) {
	switch {
	case len(b) < 4:
	case b[0] == 0xFF && b[1] == 0xFE, b[1] == 0 && b[3] == 0 && b[0] != 0 && b[2] != 0:
		return unicode.LittleEndian, true
	case b[0] == 0xFE && b[1] == 0xFF, b[0] == 0 && b[2] == 0 && b[1] != 0 && b[3] != 0:
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
}

// fromUTF16 is a decoder of UTF-16, whose mark stays.
func fromUTF16(order unicode.Endianness) *encoding.Decoder {
	return unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()
}

// streamed is decoded for what is read as it comes, by its head; nil where nothing is to be done.
func streamed(head []byte) func(io.Reader) io.Reader {
	if order, ok := orderOf(head); ok {
		return func(in io.Reader) io.Reader { return fromUTF16(order).Reader(in) }
	}
	if bytes.Count(head, []byte{'\r'}) > 1 && bytes.IndexByte(head, '\n') < 0 {
		return func(in io.Reader) io.Reader { return returns{in} }
	}
	return nil
}

// returns is a stream with ends of lines for carriage returns.
type returns struct{ in io.Reader }

// Read implements io.Reader.
func (r returns) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	for i, c := range b[:n] {
		if c == '\r' {
			b[i] = '\n'
		}
	}
	return n, err
}

// odd are blanks that web pages and editors put in the place of blanks, and characters without width.
var odd = map[rune]string{'\u00a0': " ", '\u2007': " ", '\u2009': " ", '\u202f': " ", '\u200b': "", '\u2060': "",
	'\ufeff': "", '\u200e': "", '\u200f': ""}

func unblanked(l []byte) []byte {
	if !bytes.ContainsFunc(l, isOdd) {
		return l
	}
	var out []byte
	for len(l) > 0 {
		r, n := utf8.DecodeRune(l)
		if to, ok := odd[r]; ok {
			out = append(out, to...)
		} else {
			out = append(out, l[:n]...)
		}
		l = l[n:]
	}
	return out
}

func isOdd(r rune) bool { _, ok := odd[r]; return ok }

var padded = regex.New(`\x{a0}[ \x{a0}]| \x{a0}`)

// findBlanks finds blanks that do not break. In a log they are a page's only where they stand beside others: French
// has one before a colon.
func findBlanks(s *sample) cut {
	if s.log() && !slices.ContainsFunc(s.signs, padded.Match) ||
		!s.any(func(l []byte) bool { return bytes.ContainsFunc(l, isOdd) }) {
		return nil
	}
	return each(unblanked)
}

var (
	doubles = []string{"“", "”", "„", "‟", "″"}
	singles = []string{"‘", "’", "‚", "′"}
)

// findQuotes finds the quotation marks of a word processor, in a text that has no others.
func findQuotes(s *sample) cut {
	var pairs [][2][]byte
	for _, of := range []struct {
		marks []string
		plain byte
	}{{doubles, '"'}, {singles, '\''}} {
		n := 0
		for _, l := range s.lines {
			if bytes.IndexByte(l, of.plain) >= 0 {
				n = -1
				break
			}
			for _, m := range of.marks {
				n += bytes.Count(l, []byte(m))
			}
		}
		if n < 2 {
			continue
		}
		for _, m := range of.marks {
			pairs = append(pairs, [2][]byte{[]byte(m), {of.plain}})
		}
	}
	if pairs == nil {
		return nil
	}
	return each(func(l []byte) []byte {
		for _, p := range pairs {
			if bytes.Contains(l, p[0]) {
				l = bytes.ReplaceAll(l, p[0], p[1])
			}
		}
		return l
	})
}
