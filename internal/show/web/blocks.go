package web

import (
	"html/template"
	"regexp"
	"strings"
)

// Table is a table with its caption. The first cell of a row names the row.
type Table struct {
	Caption string // always there; told to screen readers alone where Quiet
	Quiet   bool   // the heading above it says the same
	Head    []string
	Rows    [][]Cell
	Numbers []int // columns, from 0, that are numbers: set to the right
	Plain   bool  // the first cell is a value like the others, not the name of the row
}

// Cell is one cell: a text, or a fragment of this package.
type Cell struct {
	Text string
	HTML template.HTML // instead of Text
	Code bool          // a value as it is written: in the fixed width font
	Sub  string        // a second, fainter line
}

// Cells makes a row of texts.
func Cells(texts ...string) []Cell {
	out := make([]Cell, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

// Num says whether a column is one of numbers.
func (t Table) Num(i int) bool {
	for _, n := range t.Numbers {
		if n == i {
			return true
		}
	}
	return false
}

// Figure is a picture with the table that says the same.
type Figure struct {
	Title string        // what is seen; also the picture's name
	Quiet bool          // the heading above it says the same
	SVG   template.HTML // of picture.go, or of budget.go
	Keys  []Key         // what the colours mean; none where the table says it
	Note  string        // below the picture
	More  string        // what opens the table: "The numbers"
	Table Table
	Open  bool // the table is shown from the first
}

// Key is a colour and what it means.
type Key struct {
	Class string // c-1 to c-6, or a part of the memory bar: c-shared
	Text  string
}

// block is one piece of a longer text.
type block struct {
	Code bool // a command or a listing
	Text string
}

// prose divides a text into paragraphs and listings: a line that begins with two
// spaces is a command or a listing, as everywhere in our texts.
func prose(s string) []block {
	var out []block
	for _, l := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		code := strings.HasPrefix(l, "  ")
		l = strings.TrimRight(l, " \r")
		switch n := len(out); {
		case strings.TrimSpace(l) == "":
		case code && n > 0 && out[n-1].Code:
			out[n-1].Text += "\n" + strings.TrimPrefix(l, "  ")
		case code:
			out = append(out, block{true, strings.TrimPrefix(l, "  ")})
		default:
			out = append(out, block{false, l})
		}
	}
	return out
}

// cell is a cell with what the template must know of its column.
type cell struct {
	Cell
	Head  bool
	Class string
}

// stamp is a date, or a date with its time, which would break at its hyphens.
var stamp = regexp.MustCompile(`^\d{4}-\d\d-\d\d[ T0-9:.Z+-]{0,20}$`)

// rows sets cells and columns together.
func rows(t Table) [][]cell {
	out := make([][]cell, len(t.Rows))
	for i, r := range t.Rows {
		for j, c := range r {
			class := ""
			switch {
			case t.Num(j):
				class = "num"
			case stamp.MatchString(c.Text):
				class = "stamp"
			}
			out[i] = append(out[i], cell{c, j == 0 && !t.Plain, class})
		}
	}
	return out
}

// TableHTML is a table as a fragment.
func TableHTML(t Table) (template.HTML, error) { return fragment("table", t) }

// FigureHTML is a picture with its table as a fragment.
func FigureHTML(f Figure) (template.HTML, error) { return fragment("figure", f) }
