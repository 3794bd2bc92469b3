package queryplan

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// pageTitle is the head of explain.depesz.com's table.
	pageTitle = regex.New(`(?m)^ *#? *\t? *exclusive\s+inclusive\s+rows x\s+rows\s+loops\s+node`)
	// pageRow is a row of it: number, exclusive and inclusive time, the estimate's factor, rows, loops, node.
	pageRow = regex.New(`^(\d+)\.\s+([\d,.]+)\s+([\d,.]+)\s+[↑↓]\s*[\d,.]+\s+[\d,.]+\s+[\d,.]+(?:\s+(.*))?$`)
	// pageLabel is a row without figures: its node is a label.
	pageLabel = regex.New(`^\d+\.(?:\s+(.*))?$`)
	thousands = regex.New(`(\d),(\d{3})\b`)
)

// page reads the text of a page of explain.depesz.com: the exclusive time of each node is
// given, the tree is not. False where it is no such page.
func page(text string) (*segment, bool) {
	at := pageTitle.FindStringIndex(text)
	if at == nil {
		return nil, false
	}
	s := &segment{flat: true}
	var own *float64
	wait, label := false, false
	whole := 0.0
	var rows []row
	for raw := range strings.Lines(text[at[1]:]) {
		l := strings.TrimSpace(raw)
		if l == "" {
			continue
		}
		if m := pageRow.FindStringSubmatch(l); m != nil {
			v, ok := number(strings.ReplaceAll(m[2], ",", ""))
			whole, _ = number(strings.ReplaceAll(m[3], ",", ""))
			own, wait, label = nil, true, false
			if ok {
				own = &v
			}
			if l = strings.TrimSpace(m[4]); l == "" {
				continue
			}
		} else if m := pageLabel.FindStringSubmatch(l); m != nil && !wait {
			label = true
			if l = strings.TrimSpace(m[1]); l == "" {
				continue
			}
		}
		switch {
		case wait:
			wait = false
			bare := strings.TrimLeft(strings.TrimPrefix(l, "->"), "→⟶➜ \t")
			it := item{text: unthousand(bare), arrow: s.nodes > 0, own: own}
			if err := s.node(it); err != nil {
				return s, true
			}
			rows = append(rows, row{node(it.text).Actual, whole})
		case label:
			label = false
			s.line(item{text: l})
		case s.nodes > 0:
			s.line(item{text: unthousand(l)})
		}
	}
	if !sound(s, rows) {
		for i := range s.items {
			s.items[i].own = nil
		}
	}
	return s, s.nodes > 0
}

// row is a node's figures, and the inclusive time that the page gives it.
type row struct {
	actual *Actual
	whole  float64
}

// sound says whether the page's inclusive times are those of all loops. Older pages
// divided the loops of nodes below a Gather wrongly: their exclusive times are no times.
func sound(s *segment, rows []row) bool {
	processes := 1.0
	for _, it := range s.items {
		if rest, ok := strings.CutPrefix(it.text, "Workers Launched: "); ok {
			processes = max(processes, float64(leadingNumber(rest)+1))
		}
	}
	for _, r := range rows {
		if r.actual == nil || r.actual.Total == nil {
			continue
		}
		all := *r.actual.Total * r.actual.Loops
		if r.whole < all/processes*0.95-0.01 || r.whole > all*1.05+0.01 {
			return false
		}
	}
	return true
}

// unthousand takes the commas out of numbers.
func unthousand(l string) string {
	if at := markAt(l); at >= 0 {
		return l[:at] + commas(l[at:])
	}
	if strings.HasPrefix(l, "• Sort Method") || strings.HasPrefix(l, "• Rows Removed") ||
		strings.HasPrefix(l, "• Heap ") ||
		strings.HasPrefix(l, "• Buffers") || strings.HasPrefix(l, "• Buckets") || strings.HasPrefix(l, "• Batches") {
		return commas(l)
	}
	return l
}

func commas(l string) string {
	for range 5 { // numbers below 10^18
		n := thousands.ReplaceAllString(l, "$1$2")
		if n == l {
			break
		}
		l = n
	}
	return l
}
