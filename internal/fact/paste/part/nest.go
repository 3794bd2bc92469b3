package part

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// above is how many lines before its own a recognizer may look at, for what they stand in.
const above = 40

// Before are the lines that stand before one, at most as many as a recognizer may look at.
func Before(lines []Line, i int) []Line { return lines[max(0, i-above):i] }

var reKeyAlone = regex.New(`^(?:- )*["']?([\w.-]{1,63})["']?\s*:\s*[{\[|>-]{0,2}$`)

// parents are the keys of YAML or JSON that the first line of a window stands in, the nearest first.
func (w *Window) parents() []string {
	var out []string
	depth := w.Lines[0].Depth()
	for _, l := range slices.Backward(w.Before) {
		if l.Is == Fence || l.Is == Rule || l.Is == Command && l.Depth() == 0 {
			break
		}
		if l.Is == Blank || l.Is == Elided || strings.HasPrefix(l.Text, "#") || l.Depth() >= depth {
			continue
		}
		if m := reKeyAlone.FindStringSubmatch(l.Text); m != nil {
			out = append(out, m[1])
			depth = l.Depth()
		}
		if depth == 0 {
			break
		}
	}
	return out
}

// In says whether one of the nearest keys that a line stands in has one of some names.
func (w *Window) In(far int, names ...string) bool {
	p := w.parents()
	return slices.ContainsFunc(p[:min(far, len(p))], func(s string) bool { return slices.Contains(names, s) })
}
