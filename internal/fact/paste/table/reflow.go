package table

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// A table of psql that a mail program folded: its rule goes over several lines, and so do its rows.

var (
	reRulePiece = regex.New(`^[-+]{3,}$`)
	reRuleRest  = regex.New(`^-[-+]*$`)
)

// mostFolded bounds the lines of a table that was folded.
const mostFolded = 2000

// reflowed is the window with the lines of such a table joined, and how many lines each was; nil: it is none.
func reflowed(w *part.Window) (*part.Window, []int) {
	at, n := 0, 0 // the rule, and its lines
	for i := 1; i < 5 && i < len(w.Lines); i++ {
		if t := w.Text(i); reRulePiece.MatchString(t) && strings.Contains(t, "+") {
			at = i
			for n = 1; i+n < len(w.Lines) && n < 12 && reRuleRest.MatchString(w.Text(i+n)); n++ {
			}
			break
		}
	}
	if at == 0 || at == 1 && n == 1 || !strings.Contains(w.Text(0), "|") {
		return nil, nil
	}
	p := &part.Window{Command: w.Command, Name: w.Name, Tries: w.Tries}
	var counts []int
	put := func(text string, n int) {
		p.Lines = append(p.Lines, part.Line{Raw: text, Indented: text, Text: strings.TrimSpace(text), Is: part.Content})
		counts = append(counts, n)
	}
	rule := ""
	for k := range n {
		rule += w.Text(at + k)
	}
	columns := strings.Count(rule, "+") + 1
	joined := func(from, to int) string {
		s := ""
		for _, l := range w.Lines[from:to] {
			s += " " + l.Text
		}
		return strings.TrimSpace(s)
	}
	head := joined(0, at)
	if strings.Count(head, "|") != columns-1 {
		return nil, nil
	}
	put(" "+head, at)
	put(rule, n)
	for i := at + n; i < len(w.Lines) && i < mostFolded; {
		if w.Lines[i].Is != part.Content || RowCount.MatchString(w.Text(i)) {
			put(w.Text(i), 1)
			break
		}
		k, bars := i, 0
		for k < len(w.Lines) && k-i < 12 && bars < columns-1 && w.Lines[k].Is == part.Content {
			bars += strings.Count(w.Text(k), "|")
			k++
		}
		if bars != columns-1 {
			break
		}
		for k < len(w.Lines) && k-i < 12 && w.Lines[k].Is == part.Content && !strings.Contains(w.Text(k), "|") &&
			!RowCount.MatchString(w.Text(k)) {
			k++
		}
		put(" "+joined(i, k), k-i)
		i = k
	}
	if len(p.Lines) < 3 {
		return nil, nil
	}
	return p, counts
}

// folds says whether a table may be one that was folded: a piece of a rule is near, and not where a whole one is.
func folds(w *part.Window) bool {
	for i := 1; i < 5 && i < len(w.Lines); i++ {
		if t := w.Text(i); reRulePiece.MatchString(t) && strings.Contains(t, "+") && !strings.HasPrefix(t, "+") {
			return i > 1 || reRuleRest.MatchString(w.Text(2))
		}
	}
	return false
}

// reflowedAt reads a table that was folded.
func reflowedAt(w *part.Window) (Table, bool) {
	if _, ok := w.Far(); !ok {
		return Table{}, false
	}
	p, counts := reflowed(w)
	if p == nil {
		return Table{}, false
	}
	x, ok := ruledAt(p)
	if !ok {
		return Table{}, false
	}
	n := 0
	for _, c := range counts[:min(x.N, len(counts))] {
		n += c
	}
	x.N = n
	return x, true
}
