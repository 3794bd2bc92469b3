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

var (
	// ticked is a line that somebody put between backquotes, as code, behind its blanks.
	ticked = regex.New("^[ \t]*`[^`]+`(?:[ \t]*(?:<br ?/?>|\\\\))?[ \t]*$")
	// tickEnd is the end of such a line, where one of several begins in it, or the end of the last.
	tickEnd = regex.New("`[ \t]*<br ?/?>[ \t]*`|`[ \t]*(?:<br ?/?>|\\\\)?[ \t]*$")
)

// leastTicked lines between backquotes are no code within prose.
const leastTicked = 3

// findTicks finds the backquotes around each line of a text, with the mark of an end of a line of Markdown behind them.
func findTicks(s *sample) cut {
	if !s.most(0.8, ticked.Match) || s.count(ticked.Match) < leastTicked || s.anyLine() {
		return nil
	}
	return func(l line, out func(line)) {
		if ends(l) {
			return
		}
		bare := bytes.TrimLeft(l.text, " \t")
		blanks := l.text[:len(l.text)-len(bare)]
		if bytes.HasPrefix(bare, []byte("`")) {
			bare = bare[1:]
		} else if bytes.Count(bare, []byte("`"))%2 == 0 { // prose
			out(l)
			return
		}
		for len(bare) > 0 {
			part, rest := bare, []byte(nil)
			if m := tickEnd.FindIndex(bare); m != nil {
				part, rest = bare[:m[0]], bare[m[1]:]
			}
			out(line{append(bytes.Clone(blanks), part...), l.number})
			bare = rest
		}
	}
}
