package markdown

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// TestRowsAndTags holds what becomes of columns without a head, and of the tag of a heading.
func TestRowsAndTags(t *testing.T) {
	r := outline.RowOf("a", "*b*", "text")
	r.More = []outline.Block{outline.Para{Text: outline.Join("below")}}
	o := outline.Outline{outline.Heading{Level: 1, Text: outline.Join("name"), Tag: "kind"},
		outline.Rows{List: []outline.Row{r, outline.RowOf("alone")}}}
	var b strings.Builder
	if err := Write(&b, o); err != nil {
		t.Fatal(err)
	}
	want := "# name (kind)\n\n- **a \\*b\\*** text\n\n  below\n- alone\n"
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
}
