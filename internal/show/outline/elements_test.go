package outline

import "testing"

// TestRowsAsList verifies that the cells before the text of a row are bold, and that names stay names.
func TestRowsAsList(t *testing.T) {
	r := RowOf(Piece{Text: "name", As: AsName}, "", "kind", "text")
	r.Tone, r.More = ToneBad, []Block{Para{Text: Join("more")}}
	list := Rows{List: []Row{r, RowOf("alone")}}.AsList().Items
	if len(list) != 2 || list[0].Text.String() != "name kind text" || list[1].Text.String() != "alone" {
		t.Fatalf("%+v", list)
	}
	if p := list[0].Text; p[0].As != AsName || p[2].As != AsStrong || p[4].As != AsText || list[0].Tone != ToneBad ||
		len(list[0].More) != 1 || list[1].Text[0].As != AsText {
		t.Errorf("%+v", list)
	}
	if r.Cells[2][0].As != AsText {
		t.Error("the rows themselves were changed")
	}
}

// TestPlainHeading verifies that a form without tags has them in the heading.
func TestPlainHeading(t *testing.T) {
	got := Plain([]Block{Heading{Level: 1, Text: Join("name"), Tag: "kind"}})
	if h, is := got[0].(Heading); !is || h.Text.String() != "name (kind)" || h.Tag != "" {
		t.Errorf("%+v", got)
	}
}
