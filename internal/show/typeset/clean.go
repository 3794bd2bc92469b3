// Package typeset sets plain text: it makes what came from outside harmless to a terminal, wraps, pads and counts.
package typeset

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean makes a text harmless to a terminal and keeps it on one line: control
// characters (C0, DEL, C1), characters that reorder or hide text, and bytes
// that are no UTF-8 are written as \xNN or \u{NNNN}.
func Clean(s string) string {
	if !strings.ContainsFunc(s, Hidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1, r < 0x20, r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case Hidden(r):
			fmt.Fprintf(&b, `\u{%04x}`, r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += max(n, 1)
	}
	return b.String()
}

// Hidden reports whether a character acts on the terminal, or on the order of what is seen there, instead of being
// seen.
func Hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f: // C0, DEL, C1
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0x061c:
		return true // zero-width, line and paragraph separators, bidirectional marks and overrides
	case r >= 0xe0000 && r <= 0xe0fff: // tags: invisible copies of ASCII
		return true
	}
	return false
}

// Lines cleans a text of several lines, line by line.
func Lines(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = Clean(strings.TrimRight(l, "\r"))
	}
	return lines
}

// Line makes a text of any origin fit for one line of a terminal.
func Line(s string) string { return Clean(strings.Join(Words(s), " ")) }

// Flat keeps a text that came from a log on the lines that para makes of it.
func Flat(s string) string { return strings.Join(Words(s), " ") }
