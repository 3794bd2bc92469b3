package unwrap

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/unwrap/encoded"
)

// decoded is encoded.Text with the names of the layers.
func decoded(b []byte) ([]byte, []Layer) {
	text, found := encoded.Text(b)
	var layers []Layer
	if found.UTF16 {
		layers = append(layers, UTF16)
	}
	if found.Returns {
		layers = append(layers, Returns)
	}
	return text, layers
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
