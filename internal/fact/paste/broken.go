package paste

import "strings"

// Lines that a terminal broke at its edge.

// broken are the kinds whose lines a terminal breaks at its edge: those with a table.
func broken(k Kind) bool {
	switch k {
	case Iostat, Vmstat, Top, Free, Df, Ps, Mount, Lsblk, PgSettings, Sar, DockerStats, Smem:
		return true
	}
	return false
}

const (
	leastEdge = 60 // columns of a terminal
	mostEdge  = 250
	mostLines = 400 // that are put together
)

// unbroken is the window with the lines put together that were broken at one column, and
// how many lines each was; nil: there are none.
func unbroken(w *window) (*window, []int) {
	edge, full := 0, 0
	for i := range w.lines[:min(len(w.lines), 40)] {
		switch n := len([]rune(w.lines[i].text)); {
		case n > edge:
			edge, full = n, 1
		case n == edge:
			full++
		}
	}
	if edge < leastEdge || edge > mostEdge || full < 2 || len([]rune(w.lines[0].text)) < edge {
		return nil, nil
	}
	p := &window{command: w.command, name: w.name, tries: w.tries}
	var counts []int
	for i := 0; i < len(w.lines) && len(p.lines) < mostLines; {
		l := w.lines[i]
		n := 1
		for i+n < len(w.lines) && n < 8 && len([]rune(w.lines[i+n-1].text)) == edge && w.lines[i+n].is == content {
			l.text += w.lines[i+n].text
			n++
		}
		l.t = strings.TrimLeft(l.text, " \t")
		p.lines = append(p.lines, l)
		counts = append(counts, n)
		i += n
	}
	return p, counts
}

// rewrapped reads a part whose lines were broken.
func (s *scanner) rewrapped(w *window, i int) int {
	if n := len(w.t(0)); n < leastEdge || n > 4*mostEdge || s.messages >= mostEmbedded {
		return 0
	}
	p, counts := unbroken(w)
	if p == nil {
		return 0
	}
	s.messages++
	f, ok := ask(p, broken)
	if !ok {
		return 0
	}
	if f.body == nil {
		for _, l := range p.lines[:min(f.n, len(p.lines))] {
			f.body = append(f.body, l.text)
		}
	}
	n := 0
	for _, c := range counts[:min(f.n, len(counts))] {
		n += c
	}
	f.n = n
	return s.part(w, i, f)
}
