package paste

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// table is the answer of a query in one of the forms that psql has, or of a page.
type table struct {
	names []string // of the columns, in lower case
	rows  [][]string
	n     int // lines
	sure  Sure
}

// mostRows bounds a table: pg_settings has some 400.
const mostRows = 10_000

var (
	// the rule below the head; pages make | of +
	reTableRule = regex.New(`^\|?[-:=]{2,}[-+|:=\s]*$`)
	reRowCount  = regex.New(`^\((?:\d+ ?\p{L}+(?: \p{L}+)?|\p{L}+: \d+)\)$`)
	reRecord    = regex.New(`^[+|]?-\[ \p{L}+ \d+ \]`)
)

// tableAt reads a table that begins at the window.
func tableAt(w *window) (table, bool) {
	if p := drawn(w); p != nil {
		w = p
	}
	t := w.t(0)
	switch {
	case reRecord.MatchString(t):
		return recordsAt(w)
	case reTableTag.MatchString(t) && strings.HasPrefix(t, "<"):
		return htmlTableAt(w)
	case reASCIIDoc.MatchString(t):
		return asciidocAt(w)
	case strings.HasPrefix(w.t(1), "+-") && strings.HasPrefix(w.t(3), "+-") && !strings.Contains(t, "|") ||
		reTitled.MatchString(w.t(2)) && strings.Contains(w.t(1), "|") && w.lines[0].is == content && len(t) < 200:
		x, ok := tableAt(&window{lines: w.lines[1:], tries: w.tries, command: w.command}) // its title
		x.n++
		return x, ok
	case strings.HasPrefix(t, "+-") && strings.HasSuffix(t, "+") && strings.Contains(w.t(1), "|") &&
		(strings.HasPrefix(w.t(2), "+-") || strings.HasPrefix(w.t(2), "|-")):
		inner := &window{lines: w.lines[1:]} // \pset border 2
		x, ok := ruledAt(inner)
		x.n++
		if ok && strings.HasPrefix(w.t(x.n), "+-") {
			x.n++
			if reRowCount.MatchString(w.t(x.n)) {
				x.n++
			}
		}
		return x, ok
	case strings.Contains(t, "|") && len(t) < 2000 && folds(w):
		return reflowedAt(w)
	case (reTableRule.MatchString(w.t(1)) || strings.HasPrefix(w.t(1), "+-")) && len(t) < 20_000:
		return ruledAt(w)
	case reUnaligned.MatchString(t):
		return unalignedAt(w)
	case reCSVHead.MatchString(t):
		return csvAt(w)
	case strings.HasPrefix(t, "name|") && strings.HasPrefix(w.t(1), "setting|"):
		return recordsAt(w)
	case (t == "[" || strings.HasPrefix(t, "[{") || strings.HasPrefix(t, "{")) && jsonNear(w):
		return jsonAt(w)
	}
	return headlessAt(w)
}

// cells parts a row. framed says that a bar stands at both ends of each, as in Markdown.
func cells(t string, framed bool) []string {
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
func ruledAt(w *window) (table, bool) {
	framed := strings.HasPrefix(w.t(0), "|")
	head := cells(w.lines[0].text, framed)
	x := table{n: 2, sure: Certain}
	for _, h := range head {
		x.names = append(x.names, strings.ToLower(strings.TrimRight(h, "…+.")))
	}
	shown(x.names, w.command)
	if !settingsHead(x.names) {
		return table{}, false
	}
	var before []string // the row above, as it was drawn
	for x.n < len(w.lines) && len(x.rows) < mostRows {
		l := w.lines[x.n]
		t := l.t
		if reRowCount.MatchString(t) {
			x.n++
			break
		}
		if l.is == elided {
			x.n++
			continue
		}
		if l.is != content || strings.HasPrefix(t, "+-") {
			break
		}
		c := cells(l.text, framed)
		if k := len(x.rows); k > 0 && len(c) == len(x.names) && folded(before, raw(l.text, framed)) {
			before = raw(l.text, framed)
			for i := range c {
				x.rows[k-1][i] = unfold(x.rows[k-1][i], c[i])
			}
			x.n++
			continue
		}
		before = raw(l.text, framed)
		if len(c) != len(x.names) {
			if len(x.names) > 1 && len(c) == 1 || len(c) < len(x.names) {
				break
			}
			// a | within the last cell
			c = append(c[:len(x.names)-1:len(x.names)-1], strings.Join(c[len(x.names)-1:], "|"))
		}
		if k := len(x.rows); k > 0 && c[0] == "" && len(c) > 1 { // goes on
			for i := range c {
				if c[i] != "" {
					x.rows[k-1][i] = strings.TrimRight(x.rows[k-1][i], "+↵") + " " + strings.TrimRight(c[i], "+↵")
				}
			}
			x.n++
			continue
		}
		for i := range c {
			c[i] = strings.TrimSpace(strings.TrimRight(c[i], "+↵"))
		}
		x.rows = append(x.rows, c)
		x.n++
		if x.foreign() {
			return table{}, false
		}
	}
	return x, len(x.rows) > 0
}

// settingsHead says whether columns can be those of settings, or of one answer.
func settingsHead(names []string) bool {
	return len(names) == 1 && (isParam(names[0]) || names[0] == "version" || names[0] == "current_setting") ||
		slices.Contains(names, "name") ||
		!slices.ContainsFunc(names, func(n string) bool { return !isParam(n) && n != "current_setting" })
}

// foreign says whether many rows have been read and none of a setting.
func (x *table) foreign() bool {
	const many = 50
	at := x.at("name")
	return len(x.rows) == many && at >= 0 &&
		!slices.ContainsFunc(x.rows, func(r []string) bool { return at < len(r) && isParam(r[at]) })
}

// recordsAt reads \x.
func recordsAt(w *window) (table, bool) {
	x := table{sure: Certain}
	at := map[string]int{}
	bare := !reRecord.MatchString(w.t(0)) // psql -Ax: a blank line parts the rows
	if bare {
		x.rows = append(x.rows, nil)
	}
	framed := strings.HasPrefix(w.t(0), "+-")
	for x.n < len(w.lines) && len(x.rows) < mostRows {
		t := w.t(x.n)
		if framed {
			t = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(t, "|"), "|"))
		}
		switch {
		case reRecord.MatchString(w.t(x.n)):
			x.rows = append(x.rows, make([]string, len(x.names)))
		case framed && strings.HasPrefix(t, "+-"):
		case bare && t == "" && strings.HasPrefix(w.t(x.n+1), "name|"):
			x.rows = append(x.rows, make([]string, len(x.names)))
		case strings.Contains(t, "|"):
			if x.foreign() {
				return table{}, false
			}
			k, v, _ := strings.Cut(t, "|")
			k = strings.ToLower(strings.TrimSpace(k))
			if bare && k == "name" && x.n > 0 && x.rows[len(x.rows)-1] != nil && x.rows[len(x.rows)-1][at[k]] != "" {
				x.rows = append(x.rows, make([]string, len(x.names)))
			}
			i, ok := at[k]
			if !ok {
				i = len(x.names)
				at[k] = i
				x.names = append(x.names, k)
			}
			row := &x.rows[len(x.rows)-1]
			for len(*row) <= i {
				*row = append(*row, "")
			}
			(*row)[i] = strings.TrimSpace(v)
		default:
			goto end
		}
		x.n++
	}
end:
	for i := range x.rows {
		for len(x.rows[i]) < len(x.names) {
			x.rows[i] = append(x.rows[i], "")
		}
	}
	return x, len(x.rows) > 0
}

// unalignedAt reads psql -A.
func unalignedAt(w *window) (table, bool) {
	x := table{sure: Certain}
	for x.n < len(w.lines) && w.lines[x.n].is == content && len(x.rows) < mostRows {
		c := strings.Split(w.t(x.n), "|")
		switch {
		case x.names == nil:
			for _, s := range c {
				x.names = append(x.names, strings.ToLower(strings.TrimSpace(s)))
			}
		case reRowCount.MatchString(w.t(x.n)):
			x.n++
			return x, true
		case len(c) != len(x.names):
			return x, len(x.rows) > 0
		default:
			x.rows = append(x.rows, c)
			if x.foreign() {
				return table{}, false
			}
		}
		x.n++
	}
	return x, len(x.rows) > 0
}

var reCSVHead = regex.New(
	`(?i)^"?name"?[,;\t]"?(?:setting|value|current_setting|context|unit|source|category)"?(?:[,;\t]"?\w+"?)*$`)

func csvAt(w *window) (table, bool) {
	x := table{sure: Certain}
	sep := ','
	for _, c := range []rune{',', ';', '\t'} {
		if strings.ContainsRune(w.t(0), c) {
			sep = c
			break
		}
	}
	for x.n < len(w.lines) && w.lines[x.n].is == content && len(x.rows) < mostRows {
		if sep != ',' && reRowCount.MatchString(w.t(x.n)) {
			x.n++
			break
		}
		text, more := w.lines[x.n].text, 1
		for strings.Count(text, `"`)%2 == 1 && x.n+more < len(w.lines) && more < 20 {
			text += "\n" + w.lines[x.n+more].text
			more++
		}
		c, ok := csvRow(text, sep)
		if !ok || x.names != nil && len(c) != len(x.names) {
			break
		}
		if x.names == nil {
			for _, s := range c {
				x.names = append(x.names, strings.ToLower(s))
			}
		} else {
			x.rows = append(x.rows, c)
			if x.foreign() {
				return table{}, false
			}
		}
		x.n += more
	}
	return x, len(x.rows) > 0
}

func csvRow(text string, sep rune) ([]string, bool) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = sep, true, -1
	c, err := r.Read()
	return c, err == nil
}

// jsonNear says whether rows with name and setting follow, as json_agg and \pset make them.
func jsonNear(w *window) bool {
	for i := 0; i < len(w.lines) && i < 6; i++ {
		if s := w.t(i); strings.Contains(s, `"name"`) || strings.Contains(s, `"shared_buffers"`) {
			return true
		}
	}
	return false
}

// mostTries bounds how often the end of a JSON text is looked for.
const mostTries = 64

func jsonAt(w *window) (table, bool) {
	var b strings.Builder
	tries := 0
	lines, ok := w.far()
	if !ok {
		return table{}, false
	}
	for i := range lines {
		s := strings.TrimSuffix(w.t(i), "+")
		if w.lines[i].is == fence || w.lines[i].is == command {
			break
		}
		b.WriteString(s + "\n")
		if b.Len() > 4<<20 {
			return table{}, false
		}
		if !strings.HasSuffix(strings.TrimSpace(s), "]") && !strings.HasSuffix(strings.TrimSpace(s), "}") {
			continue
		}
		var rows []map[string]any
		var one map[string]any
		if tries++; tries > mostTries { // each costs all that was read
			return table{}, false
		}
		switch {
		case json.Unmarshal([]byte(b.String()), &rows) == nil && len(rows) > 0:
			return fromJSON(rows, i+1)
		case strings.HasPrefix(w.t(0), "{") && json.Unmarshal([]byte(b.String()), &one) == nil:
			if _, ok := one["name"]; ok { // a row a line
				rows = append(rows, one)
				return fromJSON(rows, i+1)
			}
			return table{}, false
		}
	}
	return table{}, false
}

func fromJSON(rows []map[string]any, n int) (table, bool) {
	x := table{names: []string{"name", "setting", "unit", "context", "source", "vartype", "boot_val",
		"pending_restart"}, n: n,
		sure: Certain}
	for _, r := range rows {
		c := make([]string, len(x.names))
		for i, k := range x.names {
			switch v := r[k].(type) {
			case string:
				c[i] = v
			case float64, bool:
				b, _ := json.Marshal(v)
				c[i] = string(b)
			}
		}
		if c[0] == "" {
			return table{}, false
		}
		x.rows = append(x.rows, c)
	}
	return x, true
}

func (x *table) at(names ...string) int {
	for _, want := range names {
		for i, n := range x.names {
			if n == want {
				return i
			}
		}
	}
	return -1
}
