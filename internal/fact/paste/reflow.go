package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// A table of psql that a mail program folded: its rule goes over several lines, and so do its rows.

var (
	reRulePiece = regex.New(`^[-+]{3,}$`)
	reRuleRest  = regex.New(`^-[-+]*$`)
)

// mostFolded bounds the lines of a table that was folded.
const mostFolded = 2000

// reflowed is the window with the lines of such a table joined, and how many lines each was; nil: it is none.
func reflowed(w *window) (*window, []int) {
	at, n := 0, 0 // the rule, and its lines
	for i := 1; i < 5 && i < len(w.lines); i++ {
		if t := w.t(i); reRulePiece.MatchString(t) && strings.Contains(t, "+") {
			at = i
			for n = 1; i+n < len(w.lines) && n < 12 && reRuleRest.MatchString(w.t(i+n)); n++ {
			}
			break
		}
	}
	if at == 0 || at == 1 && n == 1 || !strings.Contains(w.t(0), "|") {
		return nil, nil
	}
	p := &window{command: w.command, name: w.name, tries: w.tries}
	var counts []int
	put := func(text string, n int) {
		p.lines = append(p.lines, line{raw: text, text: text, t: strings.TrimSpace(text), is: content})
		counts = append(counts, n)
	}
	rule := ""
	for k := range n {
		rule += w.t(at + k)
	}
	columns := strings.Count(rule, "+") + 1
	joined := func(from, to int) string {
		s := ""
		for _, l := range w.lines[from:to] {
			s += " " + l.t
		}
		return strings.TrimSpace(s)
	}
	head := joined(0, at)
	if strings.Count(head, "|") != columns-1 {
		return nil, nil
	}
	put(" "+head, at)
	put(rule, n)
	for i := at + n; i < len(w.lines) && i < mostFolded; {
		if w.lines[i].is != content || reRowCount.MatchString(w.t(i)) {
			put(w.t(i), 1)
			break
		}
		k, bars := i, 0
		for k < len(w.lines) && k-i < 12 && bars < columns-1 && w.lines[k].is == content {
			bars += strings.Count(w.t(k), "|")
			k++
		}
		if bars != columns-1 {
			break
		}
		for k < len(w.lines) && k-i < 12 && w.lines[k].is == content && !strings.Contains(w.t(k), "|") &&
			!reRowCount.MatchString(w.t(k)) {
			k++
		}
		put(" "+joined(i, k), k-i)
		i = k
	}
	if len(p.lines) < 3 {
		return nil, nil
	}
	return p, counts
}

// folds says whether a table may be one that was folded: a piece of a rule is near, and not where a whole one is.
func folds(w *window) bool {
	for i := 1; i < 5 && i < len(w.lines); i++ {
		if t := w.t(i); reRulePiece.MatchString(t) && strings.Contains(t, "+") && !strings.HasPrefix(t, "+") {
			return i > 1 || reRuleRest.MatchString(w.t(2))
		}
	}
	return false
}

// reflowedAt reads a table that was folded.
func reflowedAt(w *window) (table, bool) {
	if _, ok := w.far(); !ok {
		return table{}, false
	}
	p, counts := reflowed(w)
	if p == nil {
		return table{}, false
	}
	x, ok := ruledAt(p)
	if !ok {
		return table{}, false
	}
	n := 0
	for _, c := range counts[:min(x.n, len(counts))] {
		n += c
	}
	x.n = n
	return x, true
}
