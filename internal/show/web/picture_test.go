package web

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/show/html"
)

// charts is a page with one of each picture.
func charts(t *testing.T) Page {
	t.Helper()
	const day = 86400
	var used, cache []Point
	for i := range int64(288) {
		v := 4e9 + 2e9*math.Sin(float64(i)/40)
		if i > 100 && i < 130 {
			v = math.NaN() // the watcher did not run
		}
		used = append(used, Point{1795132800 + 300*i, v})
		cache = append(cache, Point{1795132800 + 300*i, 12e9 - v/2})
	}
	memory, err := TimeChart{ID: "memory", Title: "Memory <of> the host",
		Series: []Series{{"page tables & shared", used}, {"file cache", cache}}, Measure: InBytes,
		FromZero: true}.Figure(View{})
	if err != nil {
		t.Fatal(err)
	}
	one, err := TimeChart{ID: "one", Title: "One moment", Series: []Series{{"steal", []Point{{1795132800, 3.5}}}},
		Measure: InPercent}.Figure(View{})
	if err != nil {
		t.Fatal(err)
	}
	none, err := TimeChart{ID: "none", Title: "Nothing", Series: []Series{{"x", []Point{{1795132800, math.NaN()}}}},
		From: 1795132800, To: 1795132800 + 30*day, Measure: InNumbers}.Figure(View{})
	if err != nil {
		t.Fatal(err)
	}
	chart := IntervalChart{ID: "blocks", Title: "B against A", Desc: "four blocks, +12 %, from +8 to +16 %",
		Min: -0.1, Max: 0.2,
		Lines: []UprightLine{{At: 0, Null: true}, {At: -0.02}, {At: 0.02}},
		Ticks: []AxisTick{{0, "0"}, {0.1, "+11 %"}, {-0.1, "−10 %"}, {5, "far"}}}
	for i, v := range []float64{0.11, 0.12, 0.1, math.NaN()} {
		chart.Rows = append(chart.Rows, IntervalRow{Name: fmt.Sprintf("block %d", i+1), Dots: []float64{v},
			Faint: i == 2})
	}
	chart.Rows = append(chart.Rows, IntervalRow{Name: "95 % CI", Bar: true, Low: 0.08, Mid: 0.115, High: 0.3})
	svg, err := chart.Draw()
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := html.Figure{Title: chart.Title, SVG: svg, More: "The numbers",
		Table: html.Table{Caption: "Blocks", Head: []string{"block", "change"},
			Rows: [][]html.Cell{html.Cells("1", "+12 %")}}}.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return Page{Title: "Pictures", Body: html.Join(memory, one, none, blocks)}
}

func TestPictures(t *testing.T) {
	golden(t, "pictures", sound(t, charts(t)))
}

// TestPicturesFollowTheTheme verifies that no color and no font of the library is left, and that each line has a class
// of its own.
func TestPicturesFollowTheTheme(t *testing.T) {
	text := sound(t, charts(t))
	for _, left := range []string{"#A1", "#000", "font-family", "style=", "Liberation", "xlink", "<?xml", "fill:"} {
		if strings.Contains(text, left) {
			t.Errorf("%q is left of the library's own style", left)
		}
	}
	for _, want := range []string{`class="s1"`, `class="s2"`, `class="text"`, `class="grid"`, `class="null"`,
		`class="bar"`, `class="f1"`, "page tables &amp; shared", "Memory &lt;of&gt; the host", "stroke-dasharray"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

// TestUnknownStyleIsRefused verifies that what the library may write one day is not passed on.
func TestUnknownStyleIsRefused(t *testing.T) {
	for _, bad := range []string{
		`<svg><image href="x"/></svg>`,
		`<svg><path d="M0,0" style="fill:#123456"/></svg>`,
		`<svg><path d="M0,0" onclick="x" style="fill:#A15E01"/></svg>`,
		`<svg><path d="M0,0" style="stroke:#A15E01;fill:none;stroke-width:url(x)"/></svg>`,
		`<svg><script>x</script></svg>`,
		`<svg><path`,
	} {
		if out, err := themed([]byte(bad), "x", "x", "x"); err == nil {
			t.Errorf("%s became %s", bad, out)
		}
	}
	if out, err := themed([]byte(`<svg viewBox="0 0 1 1"><path d="M0,0" style="stroke:#A15E01;fill:none"/></svg>`),
		`a"b`, "<t>", "<d>"); err != nil || strings.Contains(string(out), "<t>") ||
		strings.Contains(string(out), `a"b`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestThinningKeepsPeaks verifies that of many points the least and the largest stay, in the order of time, and that
// few points stay as they are.
func TestThinningKeepsPeaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20000).Draw(t, "points")
		peak := rapid.IntRange(0, n-1).Draw(t, "peak")
		pit := rapid.IntRange(0, n-1).Filter(func(i int) bool { return i != peak || n == 1 }).Draw(t, "pit")
		points := make([]Point, n)
		for i := range points {
			points[i] = Point{int64(i) * 10, float64(i % 7)}
		}
		points[pit].Value, points[peak].Value = -100, 100
		out := thin(points)
		if len(out) > 2*buckets+2 || n <= 2*buckets && len(out) != n {
			t.Fatalf("%d points became %d", n, len(out))
		}
		s, _ := sum(out)
		if s.most != 100 || n > 1 && s.least != -100 {
			t.Fatalf("the peaks are gone: %+v", s)
		}
		for i := 1; i < len(out); i++ {
			if out[i].At <= out[i-1].At {
				t.Fatalf("time goes back at %d", i)
			}
		}
	})
}

// TestTicksSpanTheValues verifies that the marks of an axis are few, in order, and reach from below the least value to
// above the largest.
func TestTicksSpanTheValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e12, 1e12).Draw(t, "low")
		high := low + rapid.Float64Range(1e-3, 1e13).Draw(t, "span")
		if high <= low {
			return
		}
		ticks := niceTicks(low, high, 4, rapid.Bool().Draw(t, "binary"))
		if len(ticks) < 2 || len(ticks) > 12 {
			t.Fatalf("%d marks", len(ticks))
		}
		slack := (high - low) * 1e-6
		if ticks[0] > low+slack || ticks[len(ticks)-1] < high-slack {
			t.Fatalf("%v does not span %v to %v", ticks, low, high)
		}
		from := rapid.Float64Range(0, 4e9).Draw(t, "from")
		marks := timeTicks(from, from+rapid.Float64Range(1, 1e9).Draw(t, "for"))
		if len(marks) > 20 {
			t.Fatalf("%d marks of time", len(marks))
		}
		for i, m := range marks {
			if m.Value < from || i > 0 && m.Value <= marks[i-1].Value {
				t.Fatalf("mark %d at %v", i, m.Value)
			}
		}
	})
}

// BenchmarkTimeChart draws six lines of a year of samples, each of five minutes.
func BenchmarkTimeChart(b *testing.B) {
	c := TimeChart{ID: "year", Title: "A year", Measure: InBytes}
	for i := range mostSeries {
		s := Series{Name: fmt.Sprint(i)}
		for n := range int64(365 * 288) {
			s.Points = append(s.Points, Point{1764547200 + 300*n, 1e9 * (2 + math.Sin(float64(n)/900+float64(i)))})
		}
		c.Series = append(c.Series, s)
	}
	for b.Loop() {
		if svg, err := c.Figure(View{}); err != nil || len(svg) == 0 {
			b.Fatal(err)
		}
	}
}
