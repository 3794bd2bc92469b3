package unwrap

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// fence is what forums, chats and trackers put around a text: [CODE], {noformat}, three backticks.
	fence = regex.New("(?i)\\[/?(?:code|pre|quote|spoiler|output)(?:=[^\\]]{0,60})?\\]|" +
		"\\{(?:code|noformat|quote)(?::[^}]{0,80})?\\}|(?:```+|~~~+)")
	language = regex.New(`^[\w+.-]{0,20}\s*$`)
)

// findFence finds a fence that stands directly before or behind a text, or alone in a line, and leaves an empty line.
func findFence(s *sample) cut {
	if s.Labeled != nil || !s.any(fence.Match) {
		return nil
	}
	return func(l line, out func(line)) {
		if ends(l) {
			return
		}
		at := fence.Regexp().FindAllIndex(l.text, 8)
		if at == nil {
			out(l)
			return
		}
		from, given := 0, false
		give := func(b []byte) {
			if len(bytes.TrimSpace(b)) > 0 {
				out(line{b, l.number})
				given = true
			}
		}
		for _, m := range at {
			give(l.text[from:m[0]])
			from = m[1]
		}
		if after := l.text[from:]; !language.Match(after) {
			give(after)
		}
		if !given {
			out(line{[]byte{}, l.number})
		}
	}
}
