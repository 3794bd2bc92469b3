package unwrap

import (
	"bytes"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	quoted = regex.New(`^[ \t]{0,3}(?:> ?)+`)
	box    = regex.New(`^ {0,4}(?:│|┃|\|)(?: |$)?`)
	boxEnd = regex.New(`[ \t]*(?:│|┃|\|)?[ \t]*$`)
	ruled  = regex.New(`^ {0,4}[+|├┌└╞╔╚][-=─═:+ ]*[-=─═:][-=─═:+ ]*[+|┤┐┘╡╗╝]?$`)
)

// findQuoted finds the marks of a letter that quotes another. In a log most lines have them; elsewhere a part of a text
// may be quoted, as nothing that a program prints begins so.
func findQuoted(s *sample) cut {
	if s.log() && !s.most(0.6, quoted.Match) || !slices.ContainsFunc(s.signs, quoted.Match) {
		return nil
	}
	return off(func(l []byte) int {
		if at := quoted.FindIndex(l); at != nil {
			return at[1]
		}
		return 0
	})
}

// findBox finds a table of one column, of Markdown or drawn by a tracker, and the bar of a chat before each line.
func findBox(s *sample) cut {
	const least = 3
	if len(s.lines) < least {
		return nil
	}
	in := func(l []byte) bool { return box.Match(l) || ruled.Match(l) }
	one := func(l []byte) bool {
		at := box.FindIndex(l)
		if at == nil {
			return ruled.Match(l)
		}
		l = l[at[1]:]
		l = l[:boxEnd.FindIndex(l)[0]]
		return !bytes.Contains(l, []byte(" | ")) && !bytes.Contains(l, []byte(" │ "))
	}
	if !s.any(box.Match) || !s.most(0.9, in) ||
		s.Labeled == nil && (!s.all(0.5, in) || !most(s.signs, 0.7, one)) { // a pipe of a shell is no column
		return nil
	}
	return func(l line, out func(line)) {
		switch at := box.FindIndex(l.text); {
		case ends(l):
		case ruled.Match(l.text):
			out(line{[]byte{}, l.number})
		case at == nil:
			out(l)
		default:
			text := l.text[at[1]:]
			out(line{text[:boxEnd.FindIndex(text)[0]], l.number})
		}
	}
}
