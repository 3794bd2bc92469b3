package web

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/show/html"
)

// Pictures with axes are drawn by gonum/plot. Each thing in them has an ink: a color that means a class of the style
// sheet, which themed() puts in its place.

// ink is a color that stands for a class.
func ink(n uint8) color.Color { return color.NRGBA{R: 0xA1, G: 0x5E, B: n, A: 0xFF} }

const (
	inkSeries = 1 // to 6: the lines and dots, in the order of the keys
	inkAxis   = 16
	inkGrid   = 17
	inkNull   = 18
	inkBar    = 19
	inkText   = 20
)

// Series is one line of a time chart.
type Series struct {
	Name   string
	Points []Point // in order of time; a value that is not known is NaN and leaves a gap
}

// Point is one value at one time.
type Point struct {
	At    int64 // seconds since the epoch
	Value float64
}

// Measure is how values are written at an axis.
type Measure struct {
	Text   func(float64) string
	Binary bool // steps are powers of two, as sizes in memory are
}

// The measures that most charts want.
var (
	InBytes   = Measure{func(v float64) string { return unit.Bytes(v).String() }, true}
	InNumbers = Measure{func(v float64) string { return fmt.Sprintf("%.6g", v) }, false}
	InPercent = Measure{func(v float64) string { return fmt.Sprintf("%.4g %%", v) }, false}
	InSeconds = Measure{func(v float64) string { return fmt.Sprintf("%.4g s", v) }, false}
)

// TimeChart is values over time.
type TimeChart struct {
	ID       string // makes the names of the picture the only ones of the page
	Title    string
	Series   []Series // six at most: there are as many colors
	From, To int64    // seconds since the epoch; 0: as the points are
	Measure  Measure
	FromZero bool // the axis begins at zero, as for sizes and rates
}

const (
	chartWidth  = 620 // units of the picture; at its largest one is 1.2 px of the screen
	chartHeight = 230
	textSize    = 11
	// buckets is how many columns a line is drawn in: more than two points per column are indistinguishable, and a year
	// of samples would be megabytes of path.
	buckets = 500
	// mostSeries is how many colors there are.
	mostSeries = 6
)

// Draw draws the chart. The text is "" if no point has a value.
func (c TimeChart) Draw() (template.HTML, error) {
	if len(c.Series) > mostSeries {
		return "", fmt.Errorf("web: %d lines in %q: %d can be told apart", len(c.Series), c.Title, mostSeries)
	}
	p := newPlot()
	p.Add(grid())
	from, to := math.Inf(1), math.Inf(-1)
	low, high := math.Inf(1), math.Inf(-1)
	for i, s := range c.Series {
		for _, run := range runs(thin(s.Points)) {
			for _, xy := range run {
				from, to = min(from, xy.X), max(to, xy.X)
				low, high = min(low, xy.Y), max(high, xy.Y)
			}
			if err := addRun(p, run, i); err != nil {
				return "", fmt.Errorf("web: %s: %w", c.Title, err)
			}
		}
	}
	if math.IsInf(low, 0) {
		return "", nil
	}
	if c.From != 0 {
		from = float64(c.From)
	}
	if c.To != 0 {
		to = float64(c.To)
	}
	if to <= from { // one moment: it is in the middle of a minute
		from, to = from-30, to+30
	}
	if c.FromZero {
		low = min(low, 0)
	}
	if high <= low {
		high = low + max(math.Abs(low)/10, 1)
	}
	marks := niceTicks(low, high, 4, c.Measure.Binary)
	low, high = min(low, marks[0]), max(high, marks[len(marks)-1])
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = from, to, low, high
	p.X.Tick.Marker = plot.ConstantTicks(timeTicks(from, to))
	var ticks plot.ConstantTicks
	for _, m := range marks {
		ticks = append(ticks, plot.Tick{Value: m, Label: c.Measure.Text(m)})
	}
	p.Y.Tick.Marker = ticks
	return draws(p, chartHeight, c.ID, c.Title, c.describe())
}

// describe describes the picture for screen readers; the table behind it has more.
func (c TimeChart) describe() string {
	var b bytes.Buffer
	for _, s := range c.Series {
		if t, ok := sum(s.Points); ok {
			fmt.Fprintf(&b, "%s: %s – %s. ", s.Name, c.Measure.Text(t.least), c.Measure.Text(t.most))
		}
	}
	return b.String()
}

// addRun adds one unbroken piece of a line; a single point is a dot.
func addRun(p *plot.Plot, run plotter.XYs, series int) error {
	colour := ink(uint8(inkSeries + series))
	if len(run) == 1 {
		s, err := plotter.NewScatter(run)
		if err != nil {
			return err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: 1.5, Shape: draw.CircleGlyph{}}
		p.Add(s)
		return nil
	}
	l, err := plotter.NewLine(run)
	if err != nil {
		return err
	}
	l.LineStyle = draw.LineStyle{Color: colour, Width: 1.6}
	p.Add(l)
	return nil
}

// thin keeps of many points the least and the largest of each bucket, so that no
// peak vanishes.
func thin(points []Point) []Point {
	if len(points) <= 2*buckets {
		return points
	}
	first, last := points[0].At, points[len(points)-1].At
	width := float64(last-first)/buckets + 1
	out := make([]Point, 0, 2*buckets)
	for i := 0; i < len(points); {
		b := int(float64(points[i].At-first) / width)
		lo, hi, gap := -1, -1, -1
		for ; i < len(points) && int(float64(points[i].At-first)/width) == b; i++ {
			v := points[i].Value
			switch {
			case math.IsNaN(v) || math.IsInf(v, 0):
				gap = i
				continue
			case lo < 0 || v < points[lo].Value:
				lo = i
			}
			if hi < 0 || v > points[hi].Value {
				hi = i
			}
		}
		switch {
		case lo < 0 && gap >= 0:
			out = append(out, points[gap])
		case lo == hi:
			out = append(out, points[lo])
		default:
			out = append(out, points[min(lo, hi)], points[max(lo, hi)])
		}
	}
	return out
}

// runs divides points at those that have no value.
func runs(points []Point) []plotter.XYs {
	var out []plotter.XYs
	open := false
	for _, p := range points {
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			open = false
			continue
		}
		if !open {
			out, open = append(out, nil), true
		}
		out[len(out)-1] = append(out[len(out)-1], plotter.XY{X: float64(p.At), Y: p.Value})
	}
	return out
}

// summary is what a table says of a line.
type summary struct{ first, least, mean, most, last float64 }

func sum(points []Point) (summary, bool) {
	s := summary{least: math.Inf(1), most: math.Inf(-1)}
	n := 0.0
	for _, p := range points {
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			continue
		}
		if n == 0 {
			s.first = p.Value
		}
		n++
		s.least, s.most, s.last = min(s.least, p.Value), max(s.most, p.Value), p.Value
		s.mean += (p.Value - s.mean) / n
	}
	return s, n > 0
}

// Figure is the chart with its key and the table behind it.
func (c TimeChart) Figure(v View) (template.HTML, error) {
	svg, err := c.Draw()
	if err != nil {
		return "", err
	}
	f := html.Figure{Title: c.Title, SVG: svg, More: v.say("Values")}
	if svg == "" {
		f.Note = v.say("There are no values for this time.")
		return f.HTML()
	}
	f.Table = html.Table{Caption: c.Title, Quiet: true, Numbers: []int{1, 2, 3, 4, 5},
		Head: []string{v.say("line"), v.say("first"),
			v.say("minimum"), v.say("mean"), v.say("maximum"),
			v.say("last")}}
	for i, s := range c.Series {
		class := fmt.Sprintf("c-%d", i+1)
		row := append([]html.Cell{{Text: s.Name, Patch: class}}, html.Cells("~", "~", "~", "~", "~")...)
		if t, ok := sum(s.Points); ok {
			w := c.Measure.Text
			row = append(row[:1], html.Cells(w(t.first), w(t.least), w(t.mean), w(t.most), w(t.last))...)
		}
		f.Table.Rows = append(f.Table.Rows, row)
		if len(c.Series) > 1 {
			f.Keys = append(f.Keys, html.Key{Class: class, Text: s.Name})
		}
	}
	return f.HTML()
}

// niceTicks returns about n round values that span low to high.
func niceTicks(low, high float64, n int, binary bool) []float64 {
	raw := (high - low) / float64(n)
	var step float64
	if binary && raw >= 1 {
		step = math.Exp2(math.Ceil(math.Log2(raw)))
	} else {
		step = math.Pow(10, math.Floor(math.Log10(raw)))
		for _, f := range []float64{1, 2, 5, 10} {
			if f*step >= raw*0.999 {
				step *= f
				break
			}
		}
	}
	var out []float64
	for k := math.Floor(low/step + 1e-9); ; k++ {
		out = append(out, k*step)
		if k*step >= high-step*1e-9 || len(out) > 4*n {
			return out
		}
	}
}

// timeSteps are the distances that marks of time may have, in seconds; beyond a
// week marks are at the first of months.
var timeSteps = []int64{1, 5, 15, 30, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400,
	2 * 86400, 7 * 86400}

// timeTicks marks six places at most, in UTC. Dates are numbers, so that they are
// of no language.
func timeTicks(from, to float64) []plot.Tick {
	const most = 6
	var out []plot.Tick
	span := to - from
	for _, step := range timeSteps {
		if span/float64(step) > most {
			continue
		}
		form := "15:04"
		switch {
		case step < 60:
			form = "15:04:05"
		case step >= 86400:
			form = "2006-01-02"
		case span > 86400:
			form = "01-02 15:04"
		}
		for t := int64(math.Ceil(from/float64(step))) * step; float64(t) <= to; t += step {
			out = append(out, plot.Tick{Value: float64(t), Label: time.Unix(t, 0).UTC().Format(form)})
		}
		return out
	}
	months := 1
	for span/(30*86400*float64(months)) > most {
		months *= 2
	}
	start := time.Unix(int64(from), 0).UTC()
	for t := time.Date(start.Year(), 1, 1, 0, 0, 0, 0, time.UTC); float64(t.Unix()) <= to &&
		len(out) < 100; t = t.AddDate(0, months, 0) {
		if float64(t.Unix()) >= from {
			out = append(out, plot.Tick{Value: float64(t.Unix()), Label: t.Format("2006-01")})
		}
	}
	return out
}

// newPlot is an empty plot in our inks, without a ground of its own.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	sans := font.Font{Typeface: "Liberation", Variant: "Sans", Size: textSize}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: ink(inkAxis), Width: 0.8}
		a.Tick.LineStyle = draw.LineStyle{Color: ink(inkAxis), Width: 0.8}
		a.Tick.Label.Font, a.Tick.Label.Color = sans, ink(inkText)
		a.Label.TextStyle.Font, a.Label.TextStyle.Color = sans, ink(inkText)
		a.Tick.Length, a.Padding = 4, 0
	}
	p.Y.LineStyle.Width, p.Y.Tick.LineStyle.Width = 0, 0 // the grid says it
	return p
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Horizontal = draw.LineStyle{Color: ink(inkGrid), Width: 0.8}
	g.Vertical = draw.LineStyle{}
	return g
}

// draws writes a plot as SVG that obeys a strict policy and the page's theme.
func draws(p *plot.Plot, height vg.Length, id, title, desc string) (template.HTML, error) {
	canvas := vgsvg.New(chartWidth, height)
	area := draw.New(canvas)
	p.Draw(draw.Crop(area, 2, -8, 2, -8)) // room for the halves of letters that stick out
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", fmt.Errorf("web: %s: %w", title, err)
	}
	return themed(b.Bytes(), id, title, desc)
}
