package typeset

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wrap breaks a line at spaces so that no piece is longer than width, except for words that are. It returns one empty
// piece for an empty line.
func Wrap(s string, width int) []string {
	words := glued(Words(s))
	if len(words) == 0 {
		return []string{""}
	}
	var out []string
	at := words[0]
	for _, w := range words[1:] {
		if Width(at)+1+Width(w) > width {
			out = append(out, at)
			at = w
			continue
		}
		at += " " + w
	}
	return append(out, at)
}

// The spaces at which no line breaks, as French and Russian have them before signs and units.
const (
	NoBreak       = '\u00a0'
	NarrowNoBreak = '\u202f'
)

// Words are the parts of a text between spaces at which a line may break.
func Words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) && r != NoBreak && r != NarrowNoBreak
	})
}

// glued puts signs that other languages set apart, as French does, back to the
// word before them: no line begins with one.
func glued(words []string) []string {
	out := words[:0]
	for _, w := range words {
		if n := len(out); n > 0 && strings.Trim(w, ":;!?»") == "" {
			out[n-1] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

func Width(s string) int { return utf8.RuneCountInString(s) }

// Pad fills s with spaces up to width columns.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-Width(s), 0))
}

// PadLeft puts spaces before s up to width columns.
func PadLeft(s string, width int) string {
	return strings.Repeat(" ", max(width-Width(s), 0)) + s
}

// Shorten truncates a foreign text that is too long to read.
func Shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}
