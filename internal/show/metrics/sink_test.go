package metrics

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzLabel: whatever a path or a name is, its label is short valid text without
// control characters; what is harmless stays as it is, and of two long ones that
// differ the labels differ.
func FuzzLabel(f *testing.F) {
	for _, s := range []string{"", "/srv/pg", "a\x00b\x1b[31m", "\xff\xfe", "\u0085\u202e", strings.Repeat("ä", 300),
		strings.Repeat("\xff", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l := label(s)
		if !utf8.ValidString(l) || len(l) > mostLabel || strings.ContainsFunc(l, unicode.IsControl) {
			t.Errorf("%q became %q", s, l)
		}
		if utf8.ValidString(s) && len(s) <= mostLabel && !strings.ContainsFunc(s, unicode.IsControl) && l != s {
			t.Errorf("%q became %q without need", s, l)
		}
		if label(l) != l {
			t.Errorf("the label of %q is not its own label", l)
		}
		if len(s) > 2*mostLabel && label(s+"x") == l {
			t.Errorf("%q and one letter more have one label", s)
		}
	})
}
