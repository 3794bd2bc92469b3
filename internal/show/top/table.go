package top

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// column is one column of a table. Cells are made when they are shown: a server may
// have thousands of processes, and a screen has twenty lines.
type column struct {
	title string
	width int  // in cells; the least where it takes what is left
	rest  bool // takes what is left of the line; one column of a table does
	left  bool // against the left side
	rank  int  // 0: always shown; of the others the highest goes first if there is no room
	cell  func(i int) string
	num   func(i int) float64 // what is sorted by; nil: the text. NaN is not known, and comes last
	tone  func(i int) tone
}

// table is a list of things with columns.
type table struct {
	title string // above the head, where several follow one another
	cols  []column
	n     int
	order []int // of those that are shown
	empty string
}

// order is what a table is sorted by.
type order struct {
	title   string // of the column; "": as it comes
	reverse bool
}

// sort orders the rows, and keeps of them those that hold a text.
func (t *table) sort(by order, filter string) {
	t.order = make([]int, 0, t.n)
	for i := range t.n {
		if filter == "" || t.holds(i, strings.ToLower(filter)) {
			t.order = append(t.order, i)
		}
	}
	at := slices.IndexFunc(t.cols, func(c column) bool { return c.title == by.title })
	if at < 0 {
		if by.reverse {
			slices.Reverse(t.order)
		}
		return
	}
	c := t.cols[at]
	sign := 1
	if by.reverse {
		sign = -1
	}
	slices.SortStableFunc(t.order, func(a, b int) int {
		if c.num == nil {
			return sign * cmp.Compare(strings.ToLower(c.cell(a)), strings.ToLower(c.cell(b)))
		}
		x, y := c.num(a), c.num(b)
		if math.IsNaN(x) || math.IsNaN(y) {
			return cmp.Compare(y, x) // whichever way round
		}
		return sign * cmp.Compare(y, x) // the largest first
	})
}

func (t *table) holds(i int, text string) bool {
	for _, c := range t.cols {
		if strings.Contains(strings.ToLower(c.cell(i)), text) {
			return true
		}
	}
	return false
}

// place is a column on a screen.
type place struct {
	column
	width int
}

// places chooses the columns that a line has room for.
func (t *table) places(width int) []place {
	cols := slices.Clone(t.cols)
	need := func() int {
		n := len(cols) - 1
		for _, c := range cols {
			n += c.width
		}
		return n
	}
	for need() > width {
		at := 0
		for i, c := range cols {
			if c.rank > cols[at].rank {
				at = i
			}
		}
		if cols[at].rank == 0 {
			break
		}
		cols = slices.Delete(cols, at, at+1)
	}
	over := width - need()
	out := make([]place, len(cols))
	for i, c := range cols {
		out[i] = place{c, c.width}
		if c.rest {
			out[i].width = max(c.width+over, 1)
		}
	}
	return out
}

// lines are the lines of the table, each made when it is asked for; the first is
// its head.
func (t *table) lines(st Style, width int, by order) []func() string {
	cols := t.places(width)
	head := make([]string, len(cols))
	for i, c := range cols {
		title := c.title
		if by.title == title && title != "" {
			title = "*" + title
		}
		cell := st.fill(title, c.width, c.left)
		if by.title == c.title && c.title != "" {
			head[i] = st.paint(strong, cell)
		} else {
			head[i] = st.paint(faint, cell)
		}
	}
	out := []func() string{func() string { return strings.TrimRight(st.cut(strings.Join(head, " "), width), " ") }}
	for _, i := range t.order {
		out = append(out, func() string { return t.line(st, cols, i, width) })
	}
	return out
}

func (t *table) line(st Style, cols []place, i, width int) string {
	var b strings.Builder
	for k, c := range cols {
		if k > 0 {
			b.WriteByte(' ')
		}
		cell := st.fill(c.cell(i), c.width, c.left)
		if c.tone != nil {
			cell = st.paint(c.tone(i), cell)
		}
		b.WriteString(cell)
	}
	return strings.TrimRight(st.cut(b.String(), width), " ")
}

// sortable lists the titles that a table can be sorted by at this width.
func (t *table) sortable(width int) []string {
	var out []string
	for _, c := range t.places(width) {
		out = append(out, c.title)
	}
	return out
}

// wrap breaks a text into lines of a width, at blanks.
func wrap(text string, width int) []string {
	var out []string
	line := ""
	for _, w := range strings.Fields(text) {
		switch {
		case line == "":
			line = w
		case lipgloss.Width(line)+1+lipgloss.Width(w) <= width:
			line += " " + w
		default:
			out = append(out, line)
			line = w
		}
	}
	return append(out, line)
}
