package html

import (
	"html/template"
	"slices"
)

// Table is a table with its caption. The first cell of a row names the row.
type Table struct {
	Caption string // always present; only for screen readers if Quiet
	Quiet   bool   // the heading above it says the same
	Head    []string
	Rows    [][]Cell
	Classes map[int]string // of rows, from 0, that stand out
	Numbers []int          // columns, from 0, that are numbers: set to the right
	Plain   bool           // the first cell is a value like the others, not the name of the row
}

// Cell is one cell: a text, or a fragment of this package.
type Cell struct {
	Text  string
	HTML  template.HTML // instead of Text
	Code  bool          // a value as it is written: in the fixed width font
	Sub   string        // a second, fainter line
	Patch string        // the class of a patch of color before it, as keys have it
}

// Cells makes a row of texts.
func Cells(texts ...string) []Cell {
	out := make([]Cell, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

// Num reports whether a column is one of numbers.
func (t Table) Num(i int) bool { return slices.Contains(t.Numbers, i) }

// patched reports whether patches of color name the rows.
func (t Table) patched() bool {
	return slices.ContainsFunc(t.Rows, func(r []Cell) bool { return len(r) > 0 && r[0].Patch != "" })
}

// Figure is a picture with the table that says the same.
type Figure struct {
	Title string // what is seen; also the picture's name
	Quiet bool   // the heading above it says the same
	SVG   template.HTML
	Keys  []Key  // what the colors mean; none if the table says it
	Note  string // below the picture
	More  string // what opens the table: "Values"
	Table Table
	Open  bool // the table is shown from the first
}

// Key is a color and what it means.
type Key struct {
	Class string // c-1 to c-6, or a part of the memory bar: c-shared
	Text  string
}

// cell is a cell with what the template must know of its column.
type cell struct {
	Cell
	Head  bool
	Class string
}

// row is a row as the template writes it.
type row struct {
	Class string
	Cells []cell
}

// rows sets cells and columns together.
func rows(t Table) []row {
	out := make([]row, len(t.Rows))
	for i, r := range t.Rows {
		out[i].Class = t.Classes[i]
		for j, c := range r {
			class := ""
			switch {
			case t.Num(j):
				class = "num"
			case stamp.MatchString(c.Text):
				class = "stamp"
			}
			out[i].Cells = append(out[i].Cells, cell{c, j == 0 && !t.Plain, class})
		}
	}
	return out
}

// HTML is the table as a fragment.
func (t Table) HTML() (template.HTML, error) { return fragment("table", t) }

// HTML is the picture with its table as a fragment.
func (f Figure) HTML() (template.HTML, error) { return fragment("figure", f) }
