package web

import (
	"html/template"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// IntervalChart is measured values beside each other: a dot for each, a bar for
// an interval, upright lines for what they are held against.
type IntervalChart struct {
	ID    string // makes the names of the picture the only ones of the page
	Title string
	Desc  string // the same in one sentence, for who does not see it
	Rows  []IntervalRow
	Lines []UprightLine
	Ticks []AxisTick // at the axis below
	Min   float64    // of the axis; what lies beyond is cut
	Max   float64
}

// IntervalRow is one line of the picture.
type IntervalRow struct {
	Name           string
	Dots           []float64
	Bar            bool // an interval is drawn
	Low, Mid, High float64
	Faint          bool // the dots do not count: a block that is discarded
}

// UprightLine is a value that others are held against.
type UprightLine struct {
	At   float64
	Null bool // no difference; else a margin, which is drawn broken
}

// AxisTick is one mark of the axis below.
type AxisTick struct {
	At   float64
	Text string
}

const (
	rowHeight  = 20 // of a picture of rows
	axisHeight = 32 // the marks below it
)

// Draw draws the chart.
func (c IntervalChart) Draw() (template.HTML, error) {
	p := newPlot()
	n := len(c.Rows)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = c.Min, c.Max, -0.7, float64(n)-0.3
	var names, marks plot.ConstantTicks
	for i, r := range c.Rows {
		names = append(names, plot.Tick{Value: float64(n - 1 - i), Label: r.Name})
	}
	for _, t := range c.Ticks {
		if t.At >= c.Min && t.At <= c.Max {
			marks = append(marks, plot.Tick{Value: t.At, Label: t.Text})
		}
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = marks, names
	p.Y.Tick.Length = 0
	p.Add(intervals(c))
	return draws(p, vg.Length(rowHeight*n+axisHeight), c.ID, c.Title, c.Desc)
}

// intervals draws what the library has no plotter for that lies down.
type intervals IntervalChart

// Plot is what the library calls.
func (c intervals) Plot(area draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&area)
	within := func(v float64) bool { return v >= c.Min && v <= c.Max && !math.IsNaN(v) }
	for _, l := range c.Lines {
		if !within(l.At) {
			continue
		}
		style := draw.LineStyle{Color: ink(inkNull), Width: 1}
		if !l.Null {
			style = draw.LineStyle{Color: ink(inkAxis), Width: 0.8, Dashes: []vg.Length{2, 3}}
		}
		area.StrokeLine2(style, x(l.At), area.Min.Y, x(l.At), area.Max.Y)
	}
	for i, r := range c.Rows {
		at := y(float64(len(c.Rows) - 1 - i))
		if r.Bar && !math.IsNaN(r.Low) && !math.IsNaN(r.High) {
			const cap = 5 // half the height of the ends
			style := draw.LineStyle{Color: ink(inkBar), Width: 2}
			area.StrokeLine2(style, x(max(r.Low, c.Min)), at, x(min(r.High, c.Max)), at)
			for _, end := range []float64{r.Low, r.High} {
				if within(end) {
					area.StrokeLine2(style, x(end), at-cap, x(end), at+cap)
				}
			}
			if within(r.Mid) {
				area.DrawGlyphNoClip(draw.GlyphStyle{Color: ink(inkSeries), Radius: 4.5, Shape: draw.CircleGlyph{}},
					vg.Point{X: x(r.Mid), Y: at})
			}
		}
		shape, colour := draw.GlyphDrawer(draw.CircleGlyph{}), ink(inkSeries)
		if r.Faint {
			shape, colour = draw.RingGlyph{}, ink(inkAxis)
		}
		for _, d := range r.Dots {
			if within(d) {
				area.DrawGlyphNoClip(draw.GlyphStyle{Color: colour, Radius: 3.2, Shape: shape},
					vg.Point{X: x(d), Y: at})
			}
		}
	}
}
