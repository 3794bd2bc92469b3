package unwrap

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	backslash = regex.New(`\\([_*'<>\[\]#|~-])`)
	under     = regex.New(`\w\\_\w`) // within a name; a tree of ps has it before one
)

// findEscapes finds the backslashes by which Markdown keeps signs from being marks: all that a text has stand before
// such a sign.
func findEscapes(s *sample) cut {
	if s.log() || !s.any(under.Match) {
		return nil
	}
	if s.any(func(l []byte) bool {
		return bytes.IndexByte(backslash.ReplaceAll(l, nil), '\\') >= 0
	}) && 2*s.count(under.Match) < len(s.lines) {
		return nil
	}
	return each(func(l []byte) []byte {
		if bytes.IndexByte(l, '\\') < 0 {
			return l
		}
		return backslash.ReplaceAll(l, []byte("$1"))
	})
}
