package typeset

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three", 7, "one two|three"},
		{"a-word-that-is-too-long b", 5, "a-word-that-is-too-long|b"},
		{"", 5, ""},
		{"  many   spaces ", 40, "many spaces"},
		{"αβγ δεζ", 7, "αβγ δεζ"},
	} {
		if got := strings.Join(Wrap(c.text, c.width), "|"); got != c.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// FuzzClean holds that nothing that acts on a terminal gets through, and that
// harmless text comes through as it was.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[2J", "a\u009bm", "\u202eevil", "tab\tnl\n", "\xff\xfe",
		"bidi\u2066", "é→"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, Hidden) {
			t.Errorf("Clean(%q) = %q", s, got)
		}
		if utf8.ValidString(s) && !strings.ContainsFunc(s, Hidden) && got != s {
			t.Errorf("clean changed %q to %q", s, got)
		}
	})
}
