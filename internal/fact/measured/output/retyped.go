package output

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

var (
	retypedUnit = regex.New(
		`(?i)\bops ?(?:/|per) ?s(?:ec(?:ond)?)?\b|pg_test_fsync|\bIOPS\b|\b(?:fsyncs?|flushes|writes) ?(?:/|per) ?s`)
	retypedTime = regex.New(`(?i)\b(?:usecs?|µs|us|ms|msecs?|ns|latency|time)\b`)
	retypedTwo  = regex.New(`(?i)\btwo\b`)
	retypedRule = regex.New(`^[\s|:+=-]+$`)
)

// retyped reads rates of pg_test_fsync that somebody has put into a table of his own: of
// Markdown, of CSV, or in columns. Each column is a run of its own.
type retyped struct {
	r      *reader
	before []string // lines above, the nearest last
	rows   [][]string
	line0  int
	head   []string
	unit   bool // the rates are told to be rates
	two    bool
}

// above is how many lines before a table are looked at for what it is of.
const above = 12

func (t *retyped) line(s scanned) bool {
	cells := t.cells(s.text)
	if cells == nil {
		if len(t.rows) == 0 || strings.TrimSpace(s.text) != "" && !retypedRule.MatchString(s.text) {
			t.end()
			if len(s.text) < 300 && strings.TrimSpace(s.text) != "" && !retypedRule.MatchString(s.text) {
				t.before = append(t.before, s.text)
				t.before = t.before[max(0, len(t.before)-above):]
			}
		}
		return false
	}
	if len(t.rows) == 0 {
		t.line0, t.head, t.unit, t.two = s.number, nil, false, false
		for i, l := range t.before {
			t.unit = t.unit || retypedUnit.MatchString(l)
			t.two = t.two || i >= len(t.before)-3 && retypedTwo.MatchString(l)
		}
		if n := len(t.before); n > 0 {
			if head := split(t.before[n-1]); len(head) == len(cells) {
				t.head = head
			}
		}
	}
	if !t.unit || len(t.rows) > 0 && len(cells) != len(t.rows[0]) || len(t.rows) == maxFsyncRows {
		t.rows = nil
		return false
	}
	t.rows = append(t.rows, cells)
	return len(t.rows) > 1 || strings.ContainsAny(strings.TrimSpace(s.text), "|;\t")
}

// cells are a method and figures, and nothing else.
func (t *retyped) cells(text string) []string {
	if len(text) > 300 || !strings.Contains(text, "sync") {
		return nil
	}
	f := split(text)
	if len(f) < 2 || len(f) > 16 || !slices.Contains(methods, strings.Trim(f[0], "`*_ ")) {
		return nil
	}
	f[0] = strings.Trim(f[0], "`*_ ")
	numbers := 0
	for _, v := range f[1:] {
		if _, ok := figure(strings.Trim(v, "*` ")); ok {
			numbers++
		} else if !slices.Contains([]string{"n/a", "n/a*", "-", "–", "—", ""}, strings.ToLower(v)) {
			return nil
		}
	}
	if numbers == 0 && len(t.rows) == 0 {
		return nil // as pg_test_fsync itself prints a method that it does not have
	}
	return f
}

// split takes the cells of a row of any such table.
func split(text string) []string {
	text = strings.Trim(text, " \t|")
	var list []string
	switch {
	case strings.Contains(text, "|"):
		list = strings.Split(text, "|")
	case strings.Contains(text, "\t"):
		list = strings.Split(text, "\t")
	case strings.Contains(text, ";"):
		list = strings.Split(text, ";")
	case strings.Contains(text, ", ") || strings.Count(text, ",") > 0 && !strings.Contains(text, " "):
		list = strings.Split(text, ",")
	default:
		list = strings.Fields(text)
	}
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// end makes a run of each column of rates.
func (t *retyped) end() {
	rows := t.rows
	t.rows = nil
	if len(rows) < 2 {
		return
	}
	for i := 1; i < len(rows[0]); i++ {
		name := ""
		if t.head != nil {
			name = t.head[i]
		}
		if retypedTime.MatchString(name) && !retypedUnit.MatchString(name) {
			continue
		}
		var list []measured.Rate
		some := false
		for _, row := range rows {
			r := measured.Rate{Name: row[0]}
			v, ok := figure(strings.Trim(row[i], "*` "))
			switch {
			case ok && v > 0 && v <= mostPerSecond:
				r.PerSecond, some = v, true
			case strings.HasPrefix(strings.ToLower(row[i]), "n/a"):
				r.Missing = true
			default:
				continue
			}
			list = append(list, r)
		}
		if !some {
			continue
		}
		o := t.r.open(TestFsync, t.line0)
		o.Cut, o.Of = true, short(name, 64)
		o.Fsync = &measured.Fsync{One: list, Two: []measured.Rate{}}
		if t.two {
			o.Fsync.One, o.Fsync.Two = o.Fsync.Two, o.Fsync.One
		}
	}
}
