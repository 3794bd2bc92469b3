package experiments

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/typeset"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// signs of the picture; the second set for terminals without UTF-8.
type signs struct{ dot, null, margin, left, right, bar, middle string }

var (
	drawn   = signs{"●", "│", "┊", "├", "┤", "─", "◆"}
	ascii   = signs{"o", "|", ":", "[", "]", "-", "+"}
	axisMin = 20 // columns below which a picture is unreadable
)

// axis maps log ratios to columns: equal ratios are equal distances, so that
// twice and half as much are as far from none.
type axis struct {
	low, high float64
	columns   int
	ends      []float64 // changes in percent at which it ends, where it is large
	words     outline.Words
}

// axisOf is an axis on which everything between two log ratios has room. If it reaches far it ends at changes that can
// be written there: else there would be dots beyond the last one that is.
func axisOf(low, high float64, columns int) axis {
	a := axis{columns: columns}
	span := high - low
	out := func(y float64) float64 {
		for _, t := range ends {
			// Further out by an eighth at most: the dots want the room.
			if l := stat.Log(t); l*y > 0 && math.Abs(l) >= math.Abs(y) {
				if math.Abs(l-y) > span/8 {
					return y
				}
				a.ends = append(a.ends, t)
				return l
			}
		}
		return y
	}
	low, high = out(low), out(high)
	edge := (high - low) / 20
	a.low, a.high = low-edge, high+edge
	return a
}

// ends are where a far axis may end, ascending on each side.
var ends = func() []float64 {
	out := []float64{-10, -15, -20, -25, -30, -40, -50, -60, -70, -75, -80, -85, -90, -95, -98, -99, -99.5,
		-99.8, -99.9}
	for decade := 10.0; decade <= 1e5; decade *= 10 {
		for _, m := range []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9} {
			out = append(out, m*decade)
		}
	}
	return out
}()

func (a axis) at(y float64) int {
	return min(max(int(math.Round((y-a.low)/(a.high-a.low)*float64(a.columns-1))), 0), a.columns-1)
}

// drawable reports whether there is something that may be shown.
func (d *Report) drawable() bool {
	known := false
	for i := range d.Result.Blocks {
		known = known || d.Result.Blocks[i].LogRatio.Known()
	}
	return known && !d.interrupted()
}

// scale is the range of log ratios that the picture has to hold, and whether there
// is an interval to draw.
func (d *Report) scale() (low, high float64, bounds bool) {
	r := d.Result
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
	return low, high, bounds
}

// blocks is the picture of an experiment; plain where signs beyond ASCII may not be drawn.
type blocks struct {
	d     *Report
	plain bool
}

func (b blocks) Draw(width int, plain bool) []outline.Prose {
	return b.d.Signs(min(width, mostColumns), plain || b.plain)
}

// mostColumns bounds the picture: a wider one shows nothing more.
const mostColumns = 100

// Signs draws each block as a dot, the interval as a bar, and the line of no difference through all of them, on lines
// of at most width columns; nothing if nothing may be shown.
func (d *Report) Signs(width int, plain bool) []outline.Prose {
	if !d.drawable() {
		return nil
	}
	r := d.Result
	s := drawn
	if plain {
		s = ascii
	}
	margin := stat.Log(float64(r.Margin))
	low, high, bounds := d.scale()
	p := d.words
	interval := "  " + p.Say("{confidence} CI", "confidence", r.Verdict.Confidence())
	lead := max(12, typeset.Width("  "+p.Say("block {n}", "n", "12"))+2, typeset.Width(interval)+2)
	a := axisOf(low, high, max(width-lead-2, axisMin))
	a.words = p

	about := p.Say("{metric}, change in %; each {dot} is a block, {null} no difference, {line} the equivalence margin "+
		"of ±{margin}", "metric", d.Metric.Title, "dot", s.dot, "null", s.null, "line", s.margin,
		"margin", say.Number(plainFigure(float64(r.Margin))+"%"))
	out := []outline.Prose{outline.Join(outline.Bold(p.Say("B vs. A")), outline.Faint(", "+about)),
		outline.Join(strings.Repeat(" ", lead), outline.Faint(a.labels()))}
	row := func() outline.Prose {
		cells := make(outline.Prose, a.columns)
		for i := range cells {
			cells[i].Text = " "
		}
		for _, v := range []float64{-margin, margin} {
			cells[a.at(v)] = outline.Faint(s.margin)
		}
		cells[a.at(0)] = outline.Piece{Text: s.null}
		return cells
	}
	add := func(name outline.Piece, cells outline.Prose, after ...any) {
		name.Text += strings.Repeat(" ", max(lead-typeset.Width(name.Text), 0))
		for len(cells) > 0 && cells[len(cells)-1].Text == " " {
			cells = cells[:len(cells)-1]
		}
		out = append(out, outline.Join(append([]any{name, cells}, after...)...))
	}
	for i := range r.Blocks {
		b := &r.Blocks[i]
		cells := row()
		name := "  " + p.Say("block {n}", "n", strconv.Itoa(b.Number))
		switch {
		case b.LogRatio.Known():
			cells[a.at(float64(b.LogRatio))] = outline.Piece{Text: s.dot, As: outline.AsInfo}
			add(outline.Piece{Text: name}, cells)
		case len(b.Discarded) > 0:
			add(outline.Faint(name), cells, outline.Faint(" "+p.Say("discarded")))
		}
	}
	if !bounds {
		return out
	}
	cells := row()
	from, to := a.at(stat.Log(float64(r.Low))), a.at(stat.Log(float64(r.High)))
	for i := from; i <= to; i++ {
		if cells[i].Text != s.null {
			cells[i] = outline.Piece{Text: s.bar}
		}
	}
	if stat.Log(float64(r.Low)) >= a.low {
		cells[from] = outline.Piece{Text: s.left}
	}
	if stat.Log(float64(r.High)) <= a.high {
		cells[to] = outline.Piece{Text: s.right}
	}
	cells[a.at(stat.Log(float64(r.Effect)))] = outline.Piece{Text: s.middle}
	add(outline.Piece{Text: interval}, cells)
	return out
}

// ticks are the changes that may be written at the axis, the important ones first.
var ticks = []float64{0, 100, -50, 300, -75, 900, -90, 50, -33, 20, -20, 10, -10, 5, -5, 2, -2, 1, -1, 200, 400, 25,
	-25, 30, 15, -15, 3, -3, 0.5, -0.5, 0.2, -0.2, 500, 700, 1900, -95, 9900, -99,
	4900, -98, 99900, -99.9, 49900, -99.8}

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
	Text   string  // in percent: +5, −10
	column int     // where its text begins
}

// marks are as many as have room, the important ones first.
func (a axis) marks() []Mark {
	var out []Mark
	taken := make([]bool, a.columns+7)
	for _, t := range slices.Concat(ticks[:1], a.ends, ticks[1:]) {
		y := stat.Log(t)
		if y < a.low || y > a.high {
			continue
		}
		text := []rune("0")
		switch {
		case t > 0:
			text = []rune(a.words.Number(fmt.Sprintf("+%g", t)))
		case t < 0:
			text = []rune(a.words.Number(fmt.Sprintf("−%g", -t)))
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

// PictureOf returns it; false if there is nothing that may be shown.
func PictureOf(r *experiment.Result, p outline.Words) (ResultPicture, bool) {
	d := ReportOf(r, p)
	if r.Design == experiment.DesignSingle || !d.drawable() {
		return ResultPicture{}, false
	}
	out := ResultPicture{Margin: stat.Log(float64(r.Margin)),
		Title: p.Say("B vs. A, {metric}, change in %", "metric", d.Metric.Title),
		Caption: p.Say("Each dot is a block, the line is no difference, the dashed lines are the equivalence margin "+
			"of "+
			"±{margin}, the bar is the 95% confidence interval.",
			"margin", say.Number(plainFigure(float64(r.Margin))+"%"))}
	low, high, interval := d.scale()
	a := axisOf(low, high, 80) // as many letters of a picture's width
	a.words = p
	out.Low, out.High, out.Interval, out.Marks = a.low, a.high, interval, a.marks()
	if out.Interval {
		out.From, out.Mid, out.To = stat.Log(float64(r.Low)), stat.Log(float64(r.Effect)), stat.Log(float64(r.High))
	}
	return out, true
}
