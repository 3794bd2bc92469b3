package typeset

import (
	"slices"
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

// FuzzClean verifies that nothing that acts on a terminal gets through, and that harmless text comes through as it was.
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

// TestNoBreakSpaces: a line breaks only where a language lets it.
func TestNoBreakSpaces(t *testing.T) {
	text := "coûte 25\u00a0% de plus\u202f; voir «\u00a0work_mem\u00a0»"
	if got := Flat(text); got != text {
		t.Errorf("flat: %q", got)
	}
	want := []string{"coûte", "25\u00a0%", "de", "plus\u202f;", "voir", "«\u00a0work_mem\u00a0»"}
	if got := Wrap(text, 1); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
