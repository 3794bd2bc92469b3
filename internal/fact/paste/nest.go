package paste

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// above is how many lines before its own a recognizer may look at, for what they stand in.
const above = 40

// before are the lines that stand before one, at most above.
func before(lines []line, i int) []line { return lines[max(0, i-above):i] }

var reKeyAlone = regex.New(`^(?:- )*["']?([\w.-]{1,63})["']?\s*:\s*[{\[|>-]{0,2}$`)

// parents are the keys of YAML or JSON that the first line of a window stands in, the nearest first.
func (w *window) parents() []string {
	var out []string
	depth := w.lines[0].depth()
	for _, l := range slices.Backward(w.before) {
		if l.is == fence || l.is == rule || l.is == command && l.depth() == 0 {
			break
		}
		if l.is == blank || l.is == elided || strings.HasPrefix(l.t, "#") || l.depth() >= depth {
			continue
		}
		if m := reKeyAlone.FindStringSubmatch(l.t); m != nil {
			out = append(out, m[1])
			depth = l.depth()
		}
		if depth == 0 {
			break
		}
	}
	return out
}

// depth is how far a line is set in.
func (l *line) depth() int { return len(l.text) - len(l.t) }

// in says whether one of the nearest keys that a line stands in has one of some names.
func (w *window) in(far int, names ...string) bool {
	p := w.parents()
	return slices.ContainsFunc(p[:min(far, len(p))], func(s string) bool { return slices.Contains(names, s) })
}
