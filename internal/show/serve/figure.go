package serve

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// figure is a chart as a picture with its table.
func (d drawn) figure(t *tongue, id string, sp span) (template.HTML, error) {
	title := t.Word(d.Title)
	c := web.TimeChart{ID: id, Title: title, From: sp.From.Unix(), To: sp.To.Unix(), FromZero: true,
		Measure: web.Measure{Text: func(v float64) string { return t.InUnit(v, d.unit) },
			Binary: strings.HasPrefix(d.unit, "bytes")}}
	f := html.Figure{Title: title, More: t.Say("Values"), Table: d.table(t)}
	add := func(name string, points []web.Point) {
		c.Series = append(c.Series, web.Series{Name: name, Points: points})
		f.Keys = append(f.Keys, html.Key{Class: fmt.Sprintf("c-%d", len(c.Series)), Text: name})
	}
	for _, l := range d.lines {
		add(t.Word(l.name), points(l.buckets, func(b history.Bucket) float64 { return b.Mean }))
	}
	// For a single line there is room for its peaks too, which a mean hides; for several, the table has them.
	if one := d.lines[0]; len(d.lines) == 1 {
		if peaks(one.buckets) {
			f.Keys[0].Text = t.Say("{name}, mean", "name", one.name)
			add(t.Say("maximum in each interval"), points(one.buckets, func(b history.Bucket) float64 {
				return b.Max
			}))
		}
	}
	var err error
	if f.SVG, err = c.Draw(); err != nil {
		return "", err
	}
	return f.HTML()
}

// peaks reports whether a line of the largest values would be another than that of the means: somewhere by a twentieth
// of the height of the picture.
func peaks(list []history.Bucket) bool {
	top := 0.0
	for _, b := range list {
		top = max(top, b.Max)
	}
	return slices.ContainsFunc(list, func(b history.Bucket) bool { return b.Max-b.Mean > top/20 })
}

// points turns buckets into points of a line, with a hole if nothing was sampled: where three times as long as usual is
// between two of them.
func points(list []history.Bucket, of func(history.Bucket) float64) []web.Point {
	usual := time.Duration(math.MaxInt64)
	if len(list) > 1 {
		steps := make([]time.Duration, 0, len(list))
		for i := range list[1:] {
			steps = append(steps, list[i+1].At.Sub(list[i].At))
		}
		slices.Sort(steps)
		usual = steps[len(steps)/2]
	}
	out := make([]web.Point, 0, len(list))
	for i, b := range list {
		if i > 0 && b.At.Sub(list[i-1].At)/3 > usual {
			out = append(out, web.Point{At: list[i-1].At.Add(usual).Unix(), Value: math.NaN()})
		}
		out = append(out, web.Point{At: b.At.Unix(), Value: of(b)})
	}
	return out
}

// table is the numbers behind a picture: of each line the mean, and the largest
// where it is another.
func (d drawn) table(t *tongue) html.Table {
	out := html.Table{Caption: t.Word(d.Title), Quiet: true, Head: []string{t.Say("From (UTC)")}}
	for i, l := range d.lines {
		out.Head = append(out.Head, t.Word(l.name))
		out.Numbers = append(out.Numbers, i+1)
	}
	for _, at := range d.times() {
		row := []html.Cell{{Text: at.from.UTC().Format("2006-01-02 15:04")}}
		for _, l := range d.lines {
			row = append(row, d.cell(t, l.buckets, at))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// stretch is the time of one row of the table.
type stretch struct{ from, to time.Time }

// times divides what was sampled into so many rows that a person reads them.
func (d drawn) times() []stretch {
	var all []time.Time
	for _, l := range d.lines {
		for _, b := range l.buckets {
			all = append(all, b.At)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	all = slices.CompactFunc(all, time.Time.Equal)
	if len(all) == 0 {
		return nil
	}
	n := (len(all) + mostRows - 1) / mostRows
	var out []stretch
	for i := 0; i < len(all); i += n {
		end := all[len(all)-1].Add(time.Second)
		if i+n < len(all) {
			end = all[i+n]
		}
		out = append(out, stretch{all[i], end})
	}
	return out
}

// cell is one line in one stretch; empty if nothing was sampled.
func (d drawn) cell(t *tongue, list []history.Bucket, s stretch) html.Cell {
	n, sum, most := 0, 0.0, 0.0
	for _, b := range list {
		if b.At.Before(s.from) || !b.At.Before(s.to) {
			continue
		}
		if n == 0 || b.Max > most {
			most = b.Max
		}
		n += b.N
		sum += b.Mean * float64(b.N)
	}
	if n == 0 {
		return html.Cell{}
	}
	mean := t.InUnit(sum/float64(n), d.unit)
	c := html.Cell{Text: mean}
	if m := t.InUnit(most, d.unit); m != mean {
		c.Sub = t.Say("at most {value}", "value", m)
	}
	return c
}
