package history

import (
	"math"
	"math/rand"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

// hours makes a history of free gigabytes by the hour.
func hours(n int, free func(hour int) float64) []Bucket {
	var out []Bucket
	for h := range n {
		out = append(out, Bucket{At: noon.Add(time.Duration(h) * time.Hour), Last: free(h) * (1 << 30), N: 12})
	}
	return out
}

// TestTrend: what grows steadily has a trend, despite what comes and goes; a short history, one import and noise have
// none.
func TestTrend(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const gb = 1 << 30
	for _, c := range []struct {
		about  string
		list   []Bucket
		perDay float64 // GB; 0: none that is steady
	}{
		{"24 GB a day for nine days", hours(9*24, func(h int) float64 { return 900 - float64(h) }), 24},
		{"the same for two days", hours(49, func(h int) float64 { return 900 - float64(h) }), 24},
		{"the same with spills of 50 GB every afternoon", hours(9*24, func(h int) float64 {
			if h%24 < 3 {
				return 850 - float64(h)
			}
			return 900 - float64(h)
		}), 24},
		{"an import of 20 GB each night", hours(9*24, func(h int) float64 { return 900 - 20*float64((h+12)/24) }), 20},
		{"for a day and a half", hours(36, func(h int) float64 { return 900 - float64(h) }), 0},
		{"one import of 300 GB within two days", hours(49, func(h int) float64 {
			return 900 - 300*float64(min(max(h-20, 0), 6))/6
		}), 0},
		{"one import of 300 GB within two weeks", hours(14*24, func(h int) float64 {
			return 900 - 300*float64(min(max(h-150, 0), 6))/6
		}), 0},
		{"noise", hours(9*24, func(int) float64 { return 900 + 40*r.Float64() }), 0},
		{"what was full is freed", hours(9*24, func(h int) float64 { return 100 + float64(h) }), 0},
		{"a clean-up in the middle", hours(9*24, func(h int) float64 { return 900 - float64(h%108) }), 0},
		{"as it was", hours(9*24, func(int) float64 { return 900 }), 0},
	} {
		d, ok := Trend(c.list)
		steady := ok && d.Least > 0
		if steady != (c.perDay > 0) || steady && math.Abs(d.PerDay/gb/c.perDay-1) > 0.1 {
			t.Errorf("%s: %+v, %v; not %g GB a day", c.about, d, ok, c.perDay)
		}
	}
}
