package render

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/judge/stat"
)

// TestAxisLabels holds of axes of every reach that each label stands where its
// change is, that none touches another one, and that a far axis is labelled to
// its ends.
func TestAxisLabels(t *testing.T) {
	word := regexp.MustCompile(`\S+`)
	lows := []float64{-0.3, -2, -8, -12, -33, -50, -70, -90, -97, -99.4, -99.9}
	highs := []float64{0.3, 2, 9, 13, 49, 51, 95, 180, 400, 530, 870, 4000, 65000}
	for _, columns := range []int{20, 36, 60, 86} {
		for _, low := range lows {
			for _, high := range highs {
				a := axisOf(stat.Log(low), stat.Log(high), columns)
				text := a.labels()
				least, most := math.Inf(1), math.Inf(-1)
				for _, at := range word.FindAllStringIndex(text, -1) {
					label := text[at[0]:at[1]]
					x, err := strconv.ParseFloat(strings.Replace(label, "−", "-", 1), 64)
					if err != nil {
						t.Fatalf("%g…%g in %d columns: %q in %q", low, high, columns, label, text)
					}
					from, n := utf8.RuneCountInString(text[:at[0]]), utf8.RuneCountInString(label)
					if dot := a.at(stat.Log(x)); dot < from || dot >= from+n {
						t.Errorf("%g…%g in %d columns: %s stands at %d and is at %d", low, high, columns, label, from, dot)
					}
					least, most = min(least, x), max(most, x)
				}
				if !strings.Contains(text, "0") || least > 0 || most < 0 {
					t.Errorf("%g…%g in %d columns: %q", low, high, columns, text)
				}
				// A far end is written, or so near to zero that there was no room beside it;
				// what is written covers what is shown.
				if room := a.columns / 5; high >= 13 && a.at(stat.Log(high))-a.at(0) > room && most < high*0.75 {
					t.Errorf("%g…%g in %d columns ends at %+g: %q", low, high, columns, most, text)
				}
				if room := a.columns / 5; low <= -12 && a.at(0)-a.at(stat.Log(low)) > room && stat.Log(least) > 0.75*stat.Log(low) {
					t.Errorf("%g…%g in %d columns begins at %+g: %q", low, high, columns, least, text)
				}
				if a.low > stat.Log(low) || a.high < stat.Log(high) {
					t.Errorf("%g…%g do not fit on the axis", low, high)
				}
			}
		}
	}
}
