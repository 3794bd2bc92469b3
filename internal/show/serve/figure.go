package serve

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// figure is a chart as a picture with its table.
func (d drawn) figure(id string, sp span) (template.HTML, error) {
	c := web.TimeChart{ID: id, Title: d.Title, From: sp.From.Unix(), To: sp.To.Unix(), FromZero: true,
		Measure: web.Measure{Text: func(v float64) string { return spell(d.unit, v) },
			Binary: strings.HasPrefix(d.unit, "bytes")}}
	f := html.Figure{Title: d.Title, More: "The numbers", Table: d.table()}
	add := func(name string, points []web.Point) {
		c.Series = append(c.Series, web.Series{Name: name, Points: points})
		f.Keys = append(f.Keys, html.Key{Class: fmt.Sprintf("c-%d", len(c.Series)), Text: name})
	}
	for _, l := range d.lines {
		add(l.name, points(l.buckets, func(b history.Bucket) float64 { return b.Mean }))
	}
	// Of one line alone there is room for its peaks too, which a mean hides; of
	// several the table tells them.
	if one := d.lines[0]; len(d.lines) == 1 {
		f.Keys[0].Text = d.help[0]
		if peaks(one.buckets) {
			f.Keys[0].Text += ", mean"
			add("the most in each stretch of time", points(one.buckets, func(b history.Bucket) float64 {
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

// peaks says whether a line of the largest values would be another than that of
// the means: somewhere by a twentieth of the height of the picture.
func peaks(list []history.Bucket) bool {
	top := 0.0
	for _, b := range list {
		top = max(top, b.Max)
	}
	return slices.ContainsFunc(list, func(b history.Bucket) bool { return b.Max-b.Mean > top/20 })
}

// points turns buckets into points of a line, with a hole where nothing was
// sampled: where three times as long as usual is between two of them.
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
func (d drawn) table() html.Table {
	t := html.Table{Caption: d.Title, Quiet: true, Head: []string{"from (UTC)"}}
	for i, l := range d.lines {
		t.Head = append(t.Head, l.name)
		t.Numbers = append(t.Numbers, i+1)
	}
	for _, at := range d.times() {
		row := []html.Cell{{Text: at.from.UTC().Format("2006-01-02 15:04")}}
		for _, l := range d.lines {
			row = append(row, d.cell(l.buckets, at))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
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

// cell is one line in one stretch; empty where nothing was sampled.
func (d drawn) cell(list []history.Bucket, s stretch) html.Cell {
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
	mean := spell(d.unit, sum/float64(n))
	c := html.Cell{Text: mean}
	if m := spell(d.unit, most); m != mean {
		c.Sub = "at most " + m
	}
	return c
}

// spell writes a value in its unit.
func spell(u string, v float64) string {
	switch u {
	case "bytes":
		return unit.Bytes(v).String()
	case "bytes/s":
		return unit.Bytes(v).String() + "/s"
	case "ratio":
		return trimmed(100*v) + " %"
	case "1/s":
		return trimmed(v) + "/s"
	case "seconds":
		return seconds(time.Duration(v * float64(time.Second)))
	}
	return trimmed(v)
}

// trimmed writes a number with the digits that tell something.
func trimmed(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
