package term

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/show/outline"
)

func written(t *testing.T, o outline.Outline, st Style) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, o, st); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRowsStandInColumns holds the columns of rows, their least width, what belongs to a row, and that rows below a
// paragraph stand one step further in.
func TestRowsStandInColumns(t *testing.T) {
	more := outline.RowOf("a", "bb", "a text that is long enough to be wrapped")
	more.More = []outline.Block{outline.Para{Text: outline.Join("below")},
		outline.Listing{Lines: []string{"SELECT 1;"}}}
	var o outline.Outline
	o.Add(outline.Rows{List: []outline.Row{more, outline.RowOf("", "and this"), outline.RowOf("ccc", "", "d")},
		Longest: []string{"12345"}})
	o.Heading(2, "numbers")
	o.Para("of it")
	o.Add(outline.Rows{List: []outline.Row{outline.RowOf("5", "five"), outline.RowOf("10", "ten")}, Right: true})
	want := `a      bb  a text that is long enough to
           be wrapped
           below
             SELECT 1;
       and this
ccc        d

numbers
  of it
     5  five
    10  ten
`
	if got := written(t, o, Style{Width: 40}); got != want {
		t.Errorf("%s", got)
	}
}

// TestALongCellPushesNoOther verifies that one long cell does not move the texts of the other rows out of sight.
func TestALongCellPushesNoOther(t *testing.T) {
	long := strings.Repeat("x", mostCell+20)
	got := written(t, outline.Outline{outline.Rows{List: []outline.Row{outline.RowOf(long, "one"),
		outline.RowOf("y", "two")}}}, Style{Width: 200})
	if want := long + "  one\n" + "y" + strings.Repeat(" ", mostCell+1) + "two\n"; got != want {
		t.Errorf("%q", got)
	}
}

// TestARowTellsWhatItIs verifies that the tone of a row is that of the cell before its text.
func TestARowTellsWhatItIs(t *testing.T) {
	r := outline.RowOf("12:00", "gap", "text")
	r.Tone = outline.ToneNote
	got := written(t, outline.Outline{outline.Rows{List: []outline.Row{r}}}, Style{Width: 80, Color: true})
	if want := "12:00  \x1b[2mgap\x1b[0m  text\n"; got != want {
		t.Errorf("%q", got)
	}
}

// TestHeadings holds the tag beside a heading, and that looks of pieces decide where there are any.
func TestHeadings(t *testing.T) {
	o := outline.Outline{outline.Heading{Level: 1, Text: outline.Join("name"), Tag: "kind, \x1bof"}}
	o.Heading(2, outline.Bold("The WAL"), " (running)")
	o.Heading(2, "plain")
	want := "\x1b[1mname\x1b[0m  kind, \\x1bof\n\n\x1b[1mThe WAL\x1b[0m (running)\n\n\x1b[1mplain\x1b[0m\n"
	if got := written(t, o, Style{Width: 80, Color: true}); got != want {
		t.Errorf("%q", got)
	}
}

type line struct{}

func (line) Draw(int, bool) []outline.Prose { return []outline.Prose{outline.Join("~~~")} }

// TestCloseAndApart holds where empty lines are: around tables and pictures except for close ones, and before a
// paragraph that stands apart, but not below a heading.
func TestCloseAndApart(t *testing.T) {
	table := outline.Table{Head: []string{"a"}, Rows: [][]outline.Prose{outline.Cells("1")}}
	for _, within := range []bool{false, true} {
		table.Close = within
		var o outline.Outline
		o.Heading(2, "head")
		o.Apart("one")
		o.Add(outline.Figure{Picture: line{}, Close: within})
		o.Para("two")
		o.Add(table)
		o.Apart("three")
		gap := "\n"
		if within {
			gap = ""
		}
		want := "head\n  one\n" + gap + "  ~~~\n" + gap + "  two\n" + gap + "  a\n  1\n\n  three\n"
		if got := written(t, o, Style{Width: 80}); got != want {
			t.Errorf("close %v: %s", within, got)
		}
	}
}

// TestLinks: what leads to an address is a hyperlink on a terminal that understands that, whole on
// each line, and text alone on any other; an address never ends the sequence early.
func TestLinks(t *testing.T) {
	of := func(url string, links bool) string {
		var o outline.Outline
		o.Para(outline.Piece{Text: "Resource Consumption of the server", URL: url}, ", 18")
		var b strings.Builder
		if err := Write(&b, o, Style{Width: 40, Links: links}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const url = "https://www.postgresql.org/docs/18/runtime-config-resource.html"
	plain := "Resource Consumption of the server, 18\n"
	if got := of(url, false); got != plain {
		t.Errorf("without links: %q", got)
	}
	link := "\x1b]8;;" + url + "\x1b\\"
	if got := of(url, true); got != link+"Resource Consumption of the server\x1b]8;;\x1b\\, 18\n" {
		t.Errorf("with links: %q", got)
	}
	if got := of("https://x/\x1b\\evil", true); got != plain {
		t.Errorf("a hostile address: %q", got)
	}
}
