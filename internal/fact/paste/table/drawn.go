package table

import (
	"html"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/input"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// Tables that psql draws otherwise than with - and |, and those without a head.

var (
	// lines of a frame, drawn with box characters
	reDrawn  = regex.New(`^[┌╔┏╭][─═━┬╦╤╥┳]+(?:\[ \p{L}+ \d+ \][─═━┬╦╤╥┳]*)?[┐╗┓╮]?$`)
	reDrawn2 = regex.New(`^[─═━]+[┼╪╫╬╋][─═━┼╪╫╬╋]*$|^[─═━]{2,}$`)
	reDrawn3 = regex.New(`^[─═━]\[ \p{L}+ \d+ \][─═━┬╤╦┳]*`)
	// the rule of a table whose title stands above its head
	reTitled    = regex.New(`^[-─]{2,}[-+─┼]*$`)
	reUnaligned = regex.New(`(?i)^(?:\w+\|)*name\|(?:\w+\|)*(?:setting|value|current_setting)(?:\|\w+)*$`)
	reASCIIDoc  = regex.New(`^\[options="header"`)
)

// plainBox is the character that psql draws where the encoding has no better one.
func plainBox(r rune) rune {
	switch {
	case r < '─' || r > '╿':
		return r
	case strings.ContainsRune("─━═╌╍┄┅┈┉", r):
		return '-'
	case strings.ContainsRune("│┃║╎╏┆┇┊┋", r):
		return '|'
	}
	return '+'
}

// mostDrawn bounds the lines of a table that is drawn: SHOW ALL, folded, has some 1,500.
const mostDrawn = 4000

// drawn is the window with the lines that psql draws where the encoding has none better;
// nil where nothing is drawn.
func drawn(w *part.Window) *part.Window {
	t := w.Text(0)
	if !reDrawn.MatchString(t) && !reDrawn3.MatchString(t) && !reDrawn2.MatchString(w.Text(1)) &&
		!(reDrawn2.MatchString(w.Text(2)) && strings.Contains(w.Text(1), "│")) {
		return nil
	}
	lines, ok := w.Far()
	if !ok {
		return nil
	}
	p := &part.Window{Command: w.Command, Name: w.Name, Tries: w.Tries}
	for _, l := range lines[:min(len(lines), mostDrawn)] {
		l.Indented = strings.Map(plainBox, l.Indented)
		l.Text = strings.TrimLeft(l.Indented, " \t")
		p.Lines = append(p.Lines, l)
	}
	return p
}

// raw is the cells of a row with the blanks and the marks at their ends.
func raw(text string, framed bool) []string {
	if framed {
		t := strings.TrimSpace(text)
		text = strings.TrimSuffix(strings.TrimPrefix(t, "|"), "|")
	}
	return strings.Split(text, "|")
}

// folded says whether a row goes on with what the one above did not hold (\pset format
// wrapped): a mark stands at the end of a cell, and at the beginning of the one below.
func folded(above, row []string) bool {
	if len(above) != len(row) {
		return false
	}
	for i, c := range row {
		if strings.HasPrefix(c, "…") && strings.HasSuffix(above[i], "…") {
			return true
		}
		if strings.HasPrefix(c, ".") && strings.HasSuffix(above[i], ".") {
			return true
		}
	}
	return false
}

// unfold joins what stands in two lines of one cell.
func unfold(above, below string) string {
	for _, mark := range []string{"…", "."} {
		if a, ok := strings.CutSuffix(above, mark); ok && strings.HasPrefix(below, mark) {
			return a + strings.TrimPrefix(below, mark)
		}
	}
	above = strings.TrimRight(above, "+↵")
	if below == "" {
		return above
	}
	return above + " " + strings.TrimRight(below, "+↵")
}

// The heads of \dconfig, in psql's languages.
var (
	paramHeads = strings.Fields(`parameter параметр paramètre parámetro parametro パラメータ παράμετρος პარამეტრი ` +
		`매개변수 參數 参数 parametr parâmetro parametre`)
	valueHeads = strings.Fields(`value wert valeur valor valore 値 τιμή მნიშვნელობა 값 значение значення värde 值 ` +
		`hodnota wartość değer`)
)

// shown names the columns of \dconfig as pg_settings does. A table of a page may have such
// a head too: then it says what somebody wishes, and only the command tells.
func shown(names []string, command string) {
	if len(names) < 2 || !slices.Contains(paramHeads, names[0]) || !slices.Contains(valueHeads, names[1]) {
		return
	}
	if strings.Contains(command, `\dconfig`) {
		names[0], names[1] = "name", "current_setting"
	}
}

const mostForeign = 4 // rows between two of parameters

// goesOn says whether, behind rows of other things, a row of a parameter follows in the same table of a page.
func goesOn(lines []part.Line, cells int) bool {
	for i := 1; i < len(lines) && i <= mostForeign && lines[i].Is == part.Content; i++ {
		if c := split1(lines[i].Text, '|'); len(c) != cells {
			return false
		} else if setting.Known(c[0]) && setting.Plausible(c[0], Value(c[0], strings.Trim(c[1], "`*"))) {
			return true
		}
	}
	return false
}

// headlessAt reads the rows of psql -At, of pgAdmin and of others who leave out the head.
// Each must be a parameter with a value that it may have.
func headlessAt(w *part.Window) (Table, bool) {
	t := w.Text(0)
	sep := rowSep(t)
	if sep == 0 {
		return Table{}, false
	}
	x := Table{Sure: part.Likely}
	at := 1
	if sep == '|' {
		if at = valueColumn(w); at == 0 {
			return Table{}, false
		}
	}
	asked := reAsked.MatchString(w.Command)
	if !asked && sep == ',' && len(split1(t, sep)) == 2 { // words in a row
		return Table{}, false
	}
	for x.N < len(w.Lines) && w.Lines[x.N].Is == part.Content && len(x.Rows) < mostRows {
		c := split1(w.Text(x.N), sep)
		if len(x.Rows) > 0 && len(c) != len(x.Rows[0]) || len(c) < 2 || len(c) > 20 {
			break
		}
		if at >= len(c) {
			break
		}
		if at > 1 {
			c[1], c[at] = c[at], c[1]
		}
		if sep == '|' {
			c[1] = Value(c[0], strings.Trim(c[1], "`*"))
		}
		known := setting.Known(c[0])
		if !known && !(asked && len(x.Rows) > 0 && strings.Contains(c[0], ".")) ||
			known && !setting.Plausible(c[0], c[1]) {
			if sep == '|' && len(x.Rows) > 1 && goesOn(w.Lines[x.N:], len(c)) {
				x.N++
				continue
			}
			break
		}
		x.Rows = append(x.Rows, c)
		x.N++
	}
	if len(x.Rows) == 0 || len(x.Rows) < 2 && !asked {
		return Table{}, false
	}
	if asked {
		x.Sure = part.Certain
	}
	x.Names = selected(w.Command, len(x.Rows[0]))
	if x.Names == nil {
		x.Names = make([]string, len(x.Rows[0]))
		x.Names[0], x.Names[1] = "name", "setting"
		if len(x.Names) > 2 && !slices.ContainsFunc(x.Rows, func(r []string) bool { return !isUnit(r[2]) }) {
			x.Names[2] = "unit"
		}
	}
	return x, true
}

var (
	reCellRemark = regex.New(`^(\S.*?)\s+\((?:[^()]|\([^()]*\)){1,120}\)$`)
	reCellEmpty  = regex.New(`(?i)^\((?:empty|none|unset|not set|blank|пусто|vide|leer)\)$`)
)

// Value is a cell without what its author remarks of the value behind it: 0 (disabled), 4 MB (512*8KB), (empty).
func Value(name, cell string) string {
	if reCellEmpty.MatchString(cell) {
		return ""
	}
	m := reCellRemark.FindStringSubmatch(cell)
	if m == nil || !setting.Plausible(name, m[1]) || setting.Plausible(name, cell) {
		return cell
	}
	return m[1]
}

var (
	reNow = regex.New(`(?i)^(?:(?:current|actual|present|running|live|effective)(?: (?:value|setting))?|now|value|` +
		`setting|` +
		`текущее(?: значение)?|значение|ist(?:-wert)?|aktuell|actuel|actual|現在値?|当前值?)$`)
	reWish = regex.New(`(?i)recommend|default|target|propos|suggest|desired|wanted|optimal|should|^new\b|^after\b|` +
		`^to\b|` +
		`рекоменд|умолчан|empf|soll|推荐|推奨|建议|默认|description|^unit|^type|range|^min|^max`)
)

// valueColumn is the column that has what a server has, by the head of the table that a row without one stands in;
// 0: none has.
func valueColumn(w *part.Window) int {
	for i := len(w.Before) - 1; i > 0 && w.Before[i].Is != part.Blank && w.Before[i].Is != part.Fence; i-- {
		if !part.TableRule.MatchString(w.Before[i].Text) {
			continue
		}
		head := Cells(w.Before[i-1].Text, true)
		for k, h := range head {
			if k > 0 && reNow.MatchString(strings.Trim(h, "*_ ")) {
				return k
			}
		}
		if len(head) > 1 && reWish.MatchString(strings.Trim(head[1], "*_ ")) {
			return 0
		}
		break
	}
	return 1
}

// rowSep is what parts the cells of a row that begins with the name of a parameter; 0: nothing.
func rowSep(t string) byte {
	quoted := strings.HasPrefix(t, `"`)
	s := strings.TrimPrefix(t, `"`)
	n := 0
	for n < len(s) && n < 64 && (s[n] == '_' || s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') {
		n++
	}
	if n == 0 || !setting.Known(s[:n]) {
		return 0
	}
	s = s[n:]
	if quoted {
		if !strings.HasPrefix(s, `"`) {
			return 0
		}
		s = s[1:]
	}
	blank := len(s) - len(strings.TrimLeft(s, " "))
	s = s[blank:]
	if s == "" || !strings.ContainsRune("|;,\t", rune(s[0])) || s[0] != '|' && blank > 0 {
		return 0
	}
	return s[0]
}

// split1 parts a row of a known separator, with or without quotation marks.
func split1(t string, sep byte) []string {
	if sep != '|' && strings.Contains(t, `"`) {
		if c, ok := csvRow(t, rune(sep)); ok {
			return c
		}
	}
	c := strings.Split(t, string(sep))
	for i := range c {
		c[i] = strings.TrimSpace(c[i])
	}
	return c
}

var (
	reAsked    = regex.New(`(?i)\bpg_settings\b|\bshow\s+all\b|\\dconfig|current_setting`)
	reSelected = regex.New(`(?is)\bselect\s+([\w\s,."]{1,300}?)\s+from\s+(?:pg_catalog\.)?pg_settings\b`)
)

// selected are the columns that a statement asks pg_settings for, where their number is right.
func selected(command string, n int) []string {
	m := reSelected.FindStringSubmatch(command)
	if m == nil {
		return nil
	}
	var names []string
	for c := range strings.SplitSeq(m[1], ",") {
		words := strings.Fields(strings.Trim(strings.TrimSpace(c), `"`))
		if len(words) == 0 {
			return nil
		}
		names = append(names, strings.ToLower(words[len(words)-1]))
	}
	if len(names) != n || !slices.Contains(names, "name") {
		return nil
	}
	return names
}

func isUnit(s string) bool {
	switch s {
	case "", "8kB", "16MB", "kB", "MB", "GB", "B", "ms", "s", "min", "us", "h", "d", "16kB", "32kB", "4kB", "64MB":
		return true
	}
	return false
}

var (
	reTableEnd = regex.New(`(?i)</table\s*>`)
	reRowTag   = regex.New(`(?i)<tr\b[^<>]{0,200}>`)
	reCellTag  = regex.New(`(?i)<t[hd]\b[^<>]{0,200}>`)
	reCellEnd  = regex.New(`(?i)</t[hd]\s*>`)
)

// htmlTableAt reads psql -H, and tables of other programs that write HTML.
func htmlTableAt(w *part.Window) (Table, bool) {
	lines, ok := w.Far()
	if !ok {
		return Table{}, false
	}
	var b strings.Builder
	x := Table{Sure: part.Certain}
	for ended := false; !ended; x.N++ {
		if x.N == len(lines) || b.Len() > 1<<20 || x.N > 0 && input.TableTag.MatchString(lines[x.N].Raw) {
			return Table{}, false
		}
		b.WriteString(lines[x.N].Raw[:min(len(lines[x.N].Raw), input.MaxLine)])
		b.WriteByte('\n')
		ended = reTableEnd.MatchString(lines[x.N].Raw)
	}
	rows := reRowTag.Regexp().Split(b.String(), mostRows)
	for _, r := range rows[1:] {
		var c []string
		parts := reCellTag.Regexp().Split(r, 64)
		for _, s := range parts[1:] {
			if at := reCellEnd.FindStringIndex(s); at != nil {
				s = s[:at[0]]
			}
			s = html.UnescapeString(input.Tag.ReplaceAllString(s, ""))
			c = append(c, strings.TrimSpace(strings.ReplaceAll(s, "\u00a0", " ")))
		}
		x.row(c)
	}
	return x.ofSettings(w)
}

// row takes the cells of one row; the first is the head.
func (x *Table) row(c []string) {
	switch {
	case len(c) == 0:
	case x.Names == nil:
		for _, s := range c {
			x.Names = append(x.Names, strings.ToLower(s))
		}
	case len(c) == len(x.Names):
		x.Rows = append(x.Rows, c)
	}
}

// ofSettings is a table whose head names settings, with the number of rows that may follow it.
func (x Table) ofSettings(w *part.Window) (Table, bool) {
	if len(x.Rows) == 0 || !settingsHead(x.Names) {
		return Table{}, false
	}
	if RowCount.MatchString(w.Text(x.N)) {
		x.N++
	}
	return x, true
}

// asciidocAt reads \pset format asciidoc.
func asciidocAt(w *part.Window) (Table, bool) {
	x := Table{N: 1, Sure: part.Certain}
	if !strings.HasPrefix(w.Text(1), "|===") {
		return Table{}, false
	}
	for x.N = 2; x.N < len(w.Lines) && len(x.Rows) < mostRows; x.N++ {
		t := w.Text(x.N)
		if strings.HasPrefix(t, "|===") {
			x.N++
			break
		}
		if !strings.Contains(t, "|") {
			break
		}
		var c []string
		for s := range strings.SplitSeq(t[strings.IndexByte(t, '|')+1:], "|") {
			if s = strings.TrimSpace(s); x.Names == nil {
				s = strings.TrimSpace(strings.TrimSuffix(s, "^l"))
			}
			c = append(c, s)
		}
		x.row(c)
	}
	return x.ofSettings(w)
}
