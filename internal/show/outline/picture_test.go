package outline

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

func TestShareFillsEveryCell(t *testing.T) {
	for _, c := range []struct {
		amounts []unit.Bytes
		Cells   int
		want    string
	}{
		{[]unit.Bytes{1, 1, 2}, 8, "2 2 4"},
		{[]unit.Bytes{1, 1, 1}, 10, "4 3 3"},
		{[]unit.Bytes{0, 5}, 3, "0 3"},
		{[]unit.Bytes{0, 0}, 3, "0 0"},
		{[]unit.Bytes{999, 1}, 10, "9 1"}, // what is in the legend is in the picture
		{[]unit.Bytes{5, 1, 1}, 1, "1 0 0"},
	} {
		var got []string
		for _, n := range BarCells(c.amounts, c.Cells) {
			got = append(got, typeset.Digits(n))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("BarCells(%v, %d) = %s, want %s", c.amounts, c.Cells, s, c.want)
		}
	}
}
