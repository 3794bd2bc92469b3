package web

import (
	"crypto/sha256"
	"fmt"
	"html/template"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
)

// Prove is the sections of an experiment: the verdict, each block as a dot with the
// interval, the blocks and all other figures, how to repeat it. Of one that is not
// at its end no figure is shown.
func Prove(r *experiment.Result, v View) (template.HTML, error) {
	return v.document(experiments.Result(r, v.Words, false), v.proveDrawing(r))
}

// ProvePage is the page of an experiment.
func ProvePage(r *experiment.Result, v View) (Page, error) {
	return v.page("", experiments.Result(r, v.Words, false), v.proveDrawing(r))
}

// proveDrawing draws the blocks of an experiment.
func (v View) proveDrawing(r *experiment.Result) html.Draw {
	return func(f outline.Figure) (html.Picture, error) {
		p, ok := experiments.PictureOf(r, outline.WordsIn(v.Words))
		if f.Name != experiments.FigureBlocks || !ok {
			return html.Picture{}, nil
		}
		// Several experiments may be on one page.
		sum := sha256.Sum256([]byte(r.Started + "\x00" + r.A.Name + "\x00" + r.B.Name + "\x00" +
			strconv.FormatUint(r.Spec.Seed, 10)))
		c := IntervalChart{ID: v.ID + fmt.Sprintf("blocks-%x", sum[:6]), Title: p.Title, Desc: p.Caption, Min: p.Low,
			Max:   p.High,
			Lines: []UprightLine{{At: 0, Null: true}, {At: -p.Margin}, {At: p.Margin}}}
		for _, m := range p.Marks {
			c.Ticks = append(c.Ticks, AxisTick{m.At, m.Text})
		}
		for i := range r.Blocks {
			b := &r.Blocks[i]
			row := IntervalRow{Name: v.say("block {n}", "n", strconv.Itoa(b.Number))}
			switch {
			case len(b.Discarded) > 0:
				row.Name = v.say("block {n}, discarded", "n", strconv.Itoa(b.Number))
			case b.LogRatio.Known():
				row.Dots = []float64{float64(b.LogRatio)}
			}
			c.Rows = append(c.Rows, row)
		}
		if p.Interval {
			c.Rows = append(c.Rows, IntervalRow{Name: v.say("{confidence} CI", "confidence", r.Verdict.Confidence()),
				Bar: true, Low: p.From, Mid: p.Mid, High: p.To})
		}
		svg, err := c.Draw()
		return html.Picture{Title: p.Title, SVG: svg, Note: p.Caption}, err
	}
}
