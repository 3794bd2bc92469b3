// Package table reads the tables of psql in each of its forms, those of pages and documents, and the
// columns of programs.
package table

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/input"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// Table is the answer of a query in one of the forms that psql has, or of a page.
type Table struct {
	Names []string // of the columns, in lower case
	Rows  [][]string
	N     int // lines
	Sure  part.Sure
}

// mostRows bounds a table: pg_settings has some 400.
const mostRows = 10_000

var (
	// RowCount is the line of psql below a table: (3 rows).
	RowCount = regex.New(`^\((?:\d+ ?\p{L}+(?: \p{L}+)?|\p{L}+: \d+)\)$`)
	reRecord = regex.New(`^[+|]?-\[ \p{L}+ \d+ \]`)
)

// At reads a table that begins at the window.
func At(w *part.Window) (Table, bool) {
	if p := drawn(w); p != nil {
		w = p
	}
	t := w.Text(0)
	switch {
	case reRecord.MatchString(t):
		return recordsAt(w)
	case input.TableTag.MatchString(t) && strings.HasPrefix(t, "<"):
		return htmlTableAt(w)
	case reASCIIDoc.MatchString(t):
		return asciidocAt(w)
	case strings.HasPrefix(w.Text(1), "+-") && strings.HasPrefix(w.Text(3), "+-") && !strings.Contains(t, "|") ||
		reTitled.MatchString(w.Text(2)) && strings.Contains(w.Text(1), "|") && w.Lines[0].Is == part.Content &&
			len(t) < 200:
		x, ok := At(&part.Window{Lines: w.Lines[1:], Tries: w.Tries, Command: w.Command}) // its title
		x.N++
		return x, ok
	case strings.HasPrefix(t, "+-") && strings.HasSuffix(t, "+") && strings.Contains(w.Text(1), "|") &&
		(strings.HasPrefix(w.Text(2), "+-") || strings.HasPrefix(w.Text(2), "|-")):
		inner := &part.Window{Lines: w.Lines[1:]} // \pset border 2
		x, ok := ruledAt(inner)
		x.N++
		if ok && strings.HasPrefix(w.Text(x.N), "+-") {
			x.N++
			if RowCount.MatchString(w.Text(x.N)) {
				x.N++
			}
		}
		return x, ok
	case strings.Contains(t, "|") && len(t) < 2000 && folds(w):
		return reflowedAt(w)
	case (part.TableRule.MatchString(w.Text(1)) || strings.HasPrefix(w.Text(1), "+-")) && len(t) < 20_000:
		return ruledAt(w)
	case reUnaligned.MatchString(t):
		return unalignedAt(w)
	case reCSVHead.MatchString(t):
		return csvAt(w)
	case strings.HasPrefix(t, "name|") && strings.HasPrefix(w.Text(1), "setting|"):
		return recordsAt(w)
	case (t == "[" || strings.HasPrefix(t, "[{") || strings.HasPrefix(t, "{")) && jsonNear(w):
		return jsonAt(w)
	}
	return headlessAt(w)
}

// Cells parts a row. framed says that a bar stands at both ends of each, as in Markdown.
func Cells(t string, framed bool) []string {
	t = strings.TrimSpace(t)
	if framed {
		t = strings.TrimSuffix(strings.TrimPrefix(t, "|"), "|")
	}
	out := strings.Split(t, "|")
	for i := range out {
		out[i] = strings.Trim(strings.TrimSpace(out[i]), "`")
	}
	return out
}

// ruledAt reads a head, a rule and rows; a cell that goes over several lines has a + or a
// point at its end, and the lines of the others are empty.
func ruledAt(w *part.Window) (Table, bool) {
	framed := strings.HasPrefix(w.Text(0), "|")
	head := Cells(w.Lines[0].Indented, framed)
	x := Table{N: 2, Sure: part.Certain}
	for _, h := range head {
		x.Names = append(x.Names, strings.ToLower(strings.TrimRight(h, "…+.")))
	}
	shown(x.Names, w.Command)
	if !settingsHead(x.Names) {
		return Table{}, false
	}
	var before []string // the row above, as it was drawn
	for x.N < len(w.Lines) && len(x.Rows) < mostRows {
		l := w.Lines[x.N]
		t := l.Text
		if RowCount.MatchString(t) {
			x.N++
			break
		}
		if l.Is == part.Elided {
			x.N++
			continue
		}
		if l.Is != part.Content || strings.HasPrefix(t, "+-") {
			break
		}
		c := Cells(l.Indented, framed)
		if k := len(x.Rows); k > 0 && len(c) == len(x.Names) && folded(before, raw(l.Indented, framed)) {
			before = raw(l.Indented, framed)
			for i := range c {
				x.Rows[k-1][i] = unfold(x.Rows[k-1][i], c[i])
			}
			x.N++
			continue
		}
		before = raw(l.Indented, framed)
		if len(c) != len(x.Names) {
			if len(x.Names) > 1 && len(c) == 1 || len(c) < len(x.Names) {
				break
			}
			// a | within the last cell
			c = append(c[:len(x.Names)-1:len(x.Names)-1], strings.Join(c[len(x.Names)-1:], "|"))
		}
		if k := len(x.Rows); k > 0 && c[0] == "" && len(c) > 1 { // goes on
			for i := range c {
				if c[i] != "" {
					x.Rows[k-1][i] = strings.TrimRight(x.Rows[k-1][i], "+↵") + " " + strings.TrimRight(c[i], "+↵")
				}
			}
			x.N++
			continue
		}
		for i := range c {
			c[i] = strings.TrimSpace(strings.TrimRight(c[i], "+↵"))
		}
		x.Rows = append(x.Rows, c)
		x.N++
		if x.foreign() {
			return Table{}, false
		}
	}
	return x, len(x.Rows) > 0
}

// settingsHead says whether columns can be those of settings, or of one answer.
func settingsHead(names []string) bool {
	return len(names) == 1 && (setting.Known(names[0]) || names[0] == "version" || names[0] == "current_setting") ||
		slices.Contains(names, "name") ||
		!slices.ContainsFunc(names, func(n string) bool { return !setting.Known(n) && n != "current_setting" })
}

// foreign says whether many rows have been read and none of a setting.
func (x *Table) foreign() bool {
	const many = 50
	at := x.Column("name")
	return len(x.Rows) == many && at >= 0 &&
		!slices.ContainsFunc(x.Rows, func(r []string) bool { return at < len(r) && setting.Known(r[at]) })
}

// recordsAt reads \x.
func recordsAt(w *part.Window) (Table, bool) {
	x := Table{Sure: part.Certain}
	at := map[string]int{}
	bare := !reRecord.MatchString(w.Text(0)) // psql -Ax: a blank line parts the rows
	if bare {
		x.Rows = append(x.Rows, nil)
	}
	framed := strings.HasPrefix(w.Text(0), "+-")
	for x.N < len(w.Lines) && len(x.Rows) < mostRows {
		t := w.Text(x.N)
		if framed {
			t = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(t, "|"), "|"))
		}
		switch {
		case reRecord.MatchString(w.Text(x.N)):
			x.Rows = append(x.Rows, make([]string, len(x.Names)))
		case framed && strings.HasPrefix(t, "+-"):
		case bare && t == "" && strings.HasPrefix(w.Text(x.N+1), "name|"):
			x.Rows = append(x.Rows, make([]string, len(x.Names)))
		case strings.Contains(t, "|"):
			if x.foreign() {
				return Table{}, false
			}
			k, v, _ := strings.Cut(t, "|")
			k = strings.ToLower(strings.TrimSpace(k))
			if bare && k == "name" && x.N > 0 && x.Rows[len(x.Rows)-1] != nil && x.Rows[len(x.Rows)-1][at[k]] != "" {
				x.Rows = append(x.Rows, make([]string, len(x.Names)))
			}
			i, ok := at[k]
			if !ok {
				i = len(x.Names)
				at[k] = i
				x.Names = append(x.Names, k)
			}
			row := &x.Rows[len(x.Rows)-1]
			for len(*row) <= i {
				*row = append(*row, "")
			}
			(*row)[i] = strings.TrimSpace(v)
		default:
			goto end
		}
		x.N++
	}
end:
	for i := range x.Rows {
		for len(x.Rows[i]) < len(x.Names) {
			x.Rows[i] = append(x.Rows[i], "")
		}
	}
	return x, len(x.Rows) > 0
}

// unalignedAt reads psql -A.
func unalignedAt(w *part.Window) (Table, bool) {
	x := Table{Sure: part.Certain}
	for x.N < len(w.Lines) && w.Lines[x.N].Is == part.Content && len(x.Rows) < mostRows {
		c := strings.Split(w.Text(x.N), "|")
		switch {
		case x.Names == nil:
			for _, s := range c {
				x.Names = append(x.Names, strings.ToLower(strings.TrimSpace(s)))
			}
		case RowCount.MatchString(w.Text(x.N)):
			x.N++
			return x, true
		case len(c) != len(x.Names):
			return x, len(x.Rows) > 0
		default:
			x.Rows = append(x.Rows, c)
			if x.foreign() {
				return Table{}, false
			}
		}
		x.N++
	}
	return x, len(x.Rows) > 0
}

var reCSVHead = regex.New(
	`(?i)^"?name"?[,;\t]"?(?:setting|value|current_setting|context|unit|source|category)"?(?:[,;\t]"?\w+"?)*$`)

func csvAt(w *part.Window) (Table, bool) {
	x := Table{Sure: part.Certain}
	sep := ','
	for _, c := range []rune{',', ';', '\t'} {
		if strings.ContainsRune(w.Text(0), c) {
			sep = c
			break
		}
	}
	for x.N < len(w.Lines) && w.Lines[x.N].Is == part.Content && len(x.Rows) < mostRows {
		if sep != ',' && RowCount.MatchString(w.Text(x.N)) {
			x.N++
			break
		}
		text, more := w.Lines[x.N].Indented, 1
		for strings.Count(text, `"`)%2 == 1 && x.N+more < len(w.Lines) && more < 20 {
			text += "\n" + w.Lines[x.N+more].Indented
			more++
		}
		c, ok := csvRow(text, sep)
		if !ok || x.Names != nil && len(c) != len(x.Names) {
			break
		}
		if x.Names == nil {
			for _, s := range c {
				x.Names = append(x.Names, strings.ToLower(s))
			}
		} else {
			x.Rows = append(x.Rows, c)
			if x.foreign() {
				return Table{}, false
			}
		}
		x.N += more
	}
	return x, len(x.Rows) > 0
}

func csvRow(text string, sep rune) ([]string, bool) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = sep, true, -1
	c, err := r.Read()
	return c, err == nil
}

// jsonNear says whether rows with name and setting follow, as json_agg and \pset make them.
func jsonNear(w *part.Window) bool {
	for i := 0; i < len(w.Lines) && i < 6; i++ {
		if s := w.Text(i); strings.Contains(s, `"name"`) || strings.Contains(s, `"shared_buffers"`) {
			return true
		}
	}
	return false
}

// mostTries bounds how often the end of a JSON text is looked for.
const mostTries = 64

func jsonAt(w *part.Window) (Table, bool) {
	var b strings.Builder
	tries := 0
	lines, ok := w.Far()
	if !ok {
		return Table{}, false
	}
	for i := range lines {
		s := strings.TrimSuffix(w.Text(i), "+")
		if w.Lines[i].Is == part.Fence || w.Lines[i].Is == part.Command {
			break
		}
		b.WriteString(s + "\n")
		if b.Len() > 4<<20 {
			return Table{}, false
		}
		if !strings.HasSuffix(strings.TrimSpace(s), "]") && !strings.HasSuffix(strings.TrimSpace(s), "}") {
			continue
		}
		var rows []map[string]any
		var one map[string]any
		if tries++; tries > mostTries { // each costs all that was read
			return Table{}, false
		}
		switch {
		case json.Unmarshal([]byte(b.String()), &rows) == nil && len(rows) > 0:
			return fromJSON(rows, i+1)
		case strings.HasPrefix(w.Text(0), "{") && json.Unmarshal([]byte(b.String()), &one) == nil:
			if _, ok := one["name"]; ok { // a row a line
				rows = append(rows, one)
				return fromJSON(rows, i+1)
			}
			return Table{}, false
		}
	}
	return Table{}, false
}

func fromJSON(rows []map[string]any, n int) (Table, bool) {
	x := Table{Names: []string{"name", "setting", "unit", "context", "source", "vartype", "boot_val",
		"pending_restart"}, N: n,
		Sure: part.Certain}
	for _, r := range rows {
		c := make([]string, len(x.Names))
		for i, k := range x.Names {
			switch v := r[k].(type) {
			case string:
				c[i] = v
			case float64, bool:
				b, _ := json.Marshal(v)
				c[i] = string(b)
			}
		}
		if c[0] == "" {
			return Table{}, false
		}
		x.Rows = append(x.Rows, c)
	}
	return x, true
}

// Column is the place of the first column that has one of some names; -1: none has.
func (x *Table) Column(names ...string) int {
	for _, want := range names {
		for i, n := range x.Names {
			if n == want {
				return i
			}
		}
	}
	return -1
}
