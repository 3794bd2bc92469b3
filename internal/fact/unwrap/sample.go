package unwrap

import (
	"bytes"
	"slices"
)

// sample is some lines of a text, by which it is found out what is around all of them.
type sample struct {
	*Reader
	lines [][]byte // that are not empty
	signs [][]byte // those of them that the reader knows; all where it knows none
	known int      // how many it knows
	name  string   // that a layer has for people, where it is not the layer's own
	whole bool     // the text has no more lines than these
}

// sample takes the head of a text, and what follows the first line that the reader knows.
func (r *Reader) sample(lines []line) *sample {
	s := &sample{Reader: r, whole: len(lines) <= sampleHead+sampleSigns}
	from := 0
	if !s.whole {
		for i := range lines {
			if r.sign(lines[i].text) {
				from = max(0, i-20)
				break
			}
		}
	}
	for i := range lines {
		if s.whole || i < sampleHead || i >= from && i < from+sampleSigns {
			s.add(lines[i].text)
		}
	}
	s.settle()
	return s
}

func (r *Reader) sign(l []byte) bool {
	switch l = l[:min(len(l), maxLine)]; {
	case r.Labeled != nil:
		return r.Labeled(l) || filled(l)
	case r.Sign != nil:
		return r.Sign(l)
	}
	return len(l) > 0
}

// is says whether a line is one that the reader knows, or any where it knows none.
func (s *sample) is(l []byte) bool { return s.known == 0 || s.sign(l) }

// anyLine says that any line counts: the reader says nothing of its own.
func (r *Reader) anyLine() bool { return r.Sign == nil && r.Labeled == nil }

func (s *sample) add(l []byte) {
	if len(bytes.TrimSpace(l)) == 0 {
		return
	}
	s.lines = append(s.lines, l)
	if s.sign(l) {
		s.signs = append(s.signs, l)
	}
}

func (s *sample) settle() {
	if s.known = len(s.signs); s.known == 0 {
		s.signs = s.lines
	}
}

func (s *sample) empty() bool { return len(s.lines) == 0 }

// most says whether a share of the lines that the reader knows has something.
func (s *sample) most(share float64, has func([]byte) bool) bool { return most(s.signs, share, has) }

// all says whether a share of all lines has something.
func (s *sample) all(share float64, has func([]byte) bool) bool { return most(s.lines, share, has) }

func most(lines [][]byte, share float64, has func([]byte) bool) bool {
	n := 0
	for i, l := range lines {
		if has(l[:min(len(l), maxLooked)]) {
			n++
		}
		if float64(n+len(lines)-i-1) < share*float64(len(lines)) {
			return false // what is left cannot make it
		}
	}
	return n > 0
}

// any says whether any line has something.
func (s *sample) any(has func([]byte) bool) bool {
	return slices.ContainsFunc(s.lines, func(l []byte) bool { return has(l[:min(len(l), maxLooked)]) })
}

// count is how many lines have something.
func (s *sample) count(has func([]byte) bool) int {
	n := 0
	for _, l := range s.lines {
		if has(l[:min(len(l), maxLooked)]) {
			n++
		}
	}
	return n
}

// log says whether the text is a log, of which single lines are not taken apart.
func (s *sample) log() bool { return s.Exact || s.Labeled != nil }

// each is a cut that makes one line of each.
func each(f func([]byte) []byte) cut {
	return func(l line, out func(line)) {
		if !ends(l) {
			out(line{f(l.text), l.number})
		}
	}
}

// off is a cut that takes off what a function says how long it is; negative: nothing.
func off(length func([]byte) int) cut {
	return each(func(l []byte) []byte {
		if n := length(l); n > 0 {
			return l[n:]
		}
		return l
	})
}
