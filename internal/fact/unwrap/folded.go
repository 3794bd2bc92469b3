package unwrap

import (
	"bytes"
	"unicode/utf8"
)

// A letter folds the lines of a log at a blank, a terminal cuts them at its edge.
const (
	leastWidth, mostWidth = 60, 140
	// wordMost is how long a word is that a letter puts into the next line.
	wordMost = 25
	// mostFolds bounds the lines that one was folded into.
	mostFolds = 100
)

// findFolded finds lines of a server's log that go on in lines which begin nothing: nearly all of those that do are as
// wide as the widest.
func findFolded(s *sample) cut {
	if s.Labeled == nil || s.known == 0 {
		return nil
	}
	width := 0
	for _, l := range s.lines {
		width = max(width, utf8.RuneCount(l))
	}
	if width < leastWidth || width > mostWidth {
		return nil
	}
	// What an edge cut may go on with a blank, which else begins a line of its own.
	goes := func(l []byte, before int) bool {
		return !s.Labeled(l) && l[0] != '\t' && (l[0] != ' ' || before == width) && !filled(l)
	}
	all, wide, full := 0, 0, 0
	for i := 1; i < len(s.lines); i++ {
		n := utf8.RuneCount(s.lines[i-1])
		if !goes(s.lines[i], n) {
			continue
		}
		all++
		if n > width-wordMost {
			wide++
			if n == width {
				full++
			}
		}
	}
	if all < 2 || 10*wide < 9*all {
		return nil
	}
	between := []byte{' '}
	if full == all {
		between = nil
	}
	var held line
	folds, last := 0, 0
	release := func(out func(line)) {
		if held.text != nil {
			out(held)
			held, folds = line{}, 0
		}
	}
	return func(l line, out func(line)) {
		switch {
		case ends(l):
			release(out)
		case len(bytes.TrimSpace(l.text)) == 0:
			release(out)
			out(l)
		case held.text != nil && goes(l.text, last) && folds < mostFolds:
			last = utf8.RuneCount(l.text)
			held.text = append(append(held.text, between...), l.text...)
			folds++
		default:
			release(out)
			last = utf8.RuneCount(l.text)
			held = line{bytes.Clone(l.text), l.number}
		}
	}
}
