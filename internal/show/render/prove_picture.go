package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/result"
	"github.com/pgfettle/pgfettle/internal/judge/stat"
)

// signs of the picture; the second set for terminals without UTF-8.
type signs struct{ dot, null, margin, left, right, bar, middle string }

var (
	drawn   = signs{"●", "│", "┊", "├", "┤", "─", "◆"}
	ascii   = signs{"o", "|", ":", "[", "]", "-", "+"}
	axisMin = 20 // columns below which nothing can be told from a picture
)

// axis maps log ratios to columns: equal ratios are equal distances, so that
// twice and half as much are as far from none.
type axis struct {
	low, high float64
	columns   int
}

func (a axis) at(y float64) int {
	return min(max(int(math.Round((y-a.low)/(a.high-a.low)*float64(a.columns-1))), 0), a.columns-1)
}

// drawable says whether there is something that may be shown.
func (d *resultPage) drawable() bool {
	known := false
	for i := range d.r.Blocks {
		known = known || d.r.Blocks[i].LogRatio.Known()
	}
	return known && !d.interrupted()
}

// scale is the range of log ratios of the picture, and whether there is an
// interval to draw.
func (d *resultPage) scale() (low, high float64, bounds bool) {
	r := d.r
	margin := stat.Log(float64(r.Margin))
	low, high = -margin, margin
	for i := range r.Blocks {
		if l := r.Blocks[i].LogRatio; l.Known() {
			low, high = min(low, float64(l)), max(high, float64(l))
		}
	}
	bounds = r.Low.Known() && r.High.Known() && r.Low > -100
	if bounds {
		// An interval of few blocks can be many times as wide as all the dots; it is
		// cut at three times their range, and its end then has no bracket.
		span := high - low
		low = max(min(low, stat.Log(float64(r.Low))), low-span)
		high = min(max(high, stat.Log(float64(r.High))), high+span)
	}
	edge := (high - low) / 20
	return low - edge, high + edge, bounds
}

// picture draws each block as a dot, the interval as a bar, and the line of no
// difference through all of them.
func (d *resultPage) picture() {
	if !d.drawable() {
		return
	}
	r := d.r
	s := drawn
	if d.st.ASCII {
		s = ascii
	}
	margin := stat.Log(float64(r.Margin))
	low, high, bounds := d.scale()
	const lead = 12 // "  block 12  "
	a := axis{low, high, max(min(d.st.Width, 100)-lead-2, axisMin)}

	d.gap()
	d.line(d.tint(strong, "B against A"), d.tint(faint, fmt.Sprintf(", %s, change in %%; each %s is a block, %s no difference, %s the margin of ±%s %%", d.m.Title, s.dot, s.null, s.margin, plainFigure(float64(r.Margin)))))
	d.line(strings.Repeat(" ", lead), d.tint(faint, a.labels()))
	row := func() []string {
		cells := make([]string, a.columns)
		for i := range cells {
			cells[i] = " "
		}
		for _, v := range []float64{-margin, margin} {
			cells[a.at(v)] = d.tint(faint, s.margin)
		}
		cells[a.at(0)] = s.null
		return cells
	}
	for i := range r.Blocks {
		b := &r.Blocks[i]
		cells := row()
		name := pad(fmt.Sprintf("  block %d", b.Number), lead)
		switch {
		case b.LogRatio.Known():
			cells[a.at(float64(b.LogRatio))] = d.tint(cyan, s.dot)
		case len(b.Void) > 0:
			d.line(d.tint(faint, name), strings.TrimRight(strings.Join(cells, ""), " "), d.tint(faint, " void"))
			continue
		default:
			continue
		}
		d.line(name, strings.TrimRight(strings.Join(cells, ""), " "))
	}
	if !bounds {
		return
	}
	cells := row()
	from, to := a.at(stat.Log(float64(r.Low))), a.at(stat.Log(float64(r.High)))
	for i := from; i <= to; i++ {
		if cells[i] != s.null {
			cells[i] = s.bar
		}
	}
	if stat.Log(float64(r.Low)) >= a.low {
		cells[from] = s.left
	}
	if stat.Log(float64(r.High)) <= a.high {
		cells[to] = s.right
	}
	cells[a.at(stat.Log(float64(r.Effect)))] = s.middle
	d.line(pad("  95 % CI", lead), strings.TrimRight(strings.Join(cells, ""), " "))
}

// ticks are the changes that may be written at the axis, the important ones first.
var ticks = []float64{0, 100, -50, 300, -75, 900, -90, 50, -33, 20, -20, 10, -10, 5, -5, 2, -2, 1, -1, 200, 400, 25, -25, 30, 15, -15, 3, -3, 0.5, -0.5, 0.2, -0.2, 500, 700, 1900, -95, 9900, -99}

// labels writes the changes above their columns, as many as have room.
func (a axis) labels() string {
	out := []rune(strings.Repeat(" ", a.columns+6))
	for _, m := range a.marks() {
		copy(out[m.column:], []rune(m.Text))
	}
	return strings.TrimRight(string(out), " ")
}

// Mark is a change that is written at the axis.
type Mark struct {
	At     float64 // log ratio
	Text   string  // in per cent: +5, −10
	column int     // where its text begins
}

// marks are as many as have room, the important ones first.
func (a axis) marks() []Mark {
	var out []Mark
	taken := make([]bool, a.columns+7)
	for _, t := range ticks {
		y := stat.Log(t)
		if y < a.low || y > a.high {
			continue
		}
		text := []rune("0")
		switch {
		case t > 0:
			text = []rune(fmt.Sprintf("+%g", t))
		case t < 0:
			text = []rune(fmt.Sprintf("−%g", -t))
		}
		from := max(a.at(y)-len(text)/2, 0)
		free := true
		for i := max(from-2, 0); i < min(from+len(text)+2, a.columns+6); i++ {
			free = free && !taken[i]
		}
		if !free || from+len(text) > a.columns+6 {
			continue
		}
		for i := range text {
			taken[from+i] = true
		}
		out = append(out, Mark{y, string(text), from})
	}
	return out
}

// ResultPicture is what the picture of an experiment shows, for forms that draw:
// log ratios, in which twice and half as much are as far from none.
type ResultPicture struct {
	Low, High      float64 // of the axis
	Marks          []Mark
	Margin         float64 // on both sides of none
	Interval       bool    // there is one
	From, Mid, To  float64 // of the interval of 95 %; it may reach beyond the axis
	Title, Caption string
}

// PictureOf returns it; false where there is nothing that may be shown.
func PictureOf(r *result.Result) (ResultPicture, bool) {
	d := newResultPage(newPage(Style{}), r)
	if r.Design == result.Single || !d.drawable() {
		return ResultPicture{}, false
	}
	out := ResultPicture{Margin: stat.Log(float64(r.Margin)), Title: "B against A, " + d.m.Title + ", change in %",
		Caption: fmt.Sprintf("Each dot is a block, the line is no difference, the broken lines are the margin of ±%s %%, the bar is the 95 %% interval.", plainFigure(float64(r.Margin)))}
	out.Low, out.High, out.Interval = d.scale()
	out.Marks = axis{out.Low, out.High, 80}.marks() // as many letters of a picture's width
	if out.Interval {
		out.From, out.Mid, out.To = stat.Log(float64(r.Low)), stat.Log(float64(r.Effect)), stat.Log(float64(r.High))
	}
	return out, true
}
