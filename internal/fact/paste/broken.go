package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// Lines that a terminal broke at its edge.

// broken are the kinds whose lines a terminal breaks at its edge: those with a table.
func broken(k part.Kind) bool {
	switch k {
	case part.Iostat, part.Vmstat, part.Top, part.Free, part.Df, part.Ps, part.Mount, part.Lsblk, part.PgSettings,
		part.Sar, part.DockerStats, part.Smem:
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
func unbroken(w *part.Window) (*part.Window, []int) {
	edge, full := 0, 0
	for i := range w.Lines[:min(len(w.Lines), 40)] {
		switch n := len([]rune(w.Lines[i].Indented)); {
		case n > edge:
			edge, full = n, 1
		case n == edge:
			full++
		}
	}
	if edge < leastEdge || edge > mostEdge || full < 2 || len([]rune(w.Lines[0].Indented)) < edge {
		return nil, nil
	}
	p := &part.Window{Command: w.Command, Name: w.Name, Tries: w.Tries}
	var counts []int
	for i := 0; i < len(w.Lines) && len(p.Lines) < mostLines; {
		l := w.Lines[i]
		n := 1
		for i+n < len(w.Lines) && n < 8 && len([]rune(w.Lines[i+n-1].Indented)) == edge &&
			w.Lines[i+n].Is == part.Content {
			l.Indented += w.Lines[i+n].Indented
			n++
		}
		l.Text = strings.TrimLeft(l.Indented, " \t")
		p.Lines = append(p.Lines, l)
		counts = append(counts, n)
		i += n
	}
	return p, counts
}

// rewrapped reads a part whose lines were broken.
func (s *scanner) rewrapped(w *part.Window, i int) int {
	if n := len(w.Text(0)); n < leastEdge || n > 4*mostEdge || s.messages >= mostEmbedded {
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
	if f.Body == nil {
		for _, l := range p.Lines[:min(f.N, len(p.Lines))] {
			f.Body = append(f.Body, l.Indented)
		}
	}
	n := 0
	for _, c := range counts[:min(f.N, len(counts))] {
		n += c
	}
	f.N = n
	return s.part(w, i, f)
}
