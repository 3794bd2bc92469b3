package serve

import (
	"html/template"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/history"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// figure is a chart as a picture with its table.
func (d drawn) figure(id string, sp span, zone *time.Location) (template.HTML, error) {
	return web.TableHTML(d.table(zone))
}

// table is the numbers behind a picture: of each line the mean, and the largest
// where it is another.
func (d drawn) table(zone *time.Location) web.Table {
	t := web.Table{Caption: d.Title, Quiet: true, Head: []string{"from"}}
	for i, l := range d.lines {
		t.Head = append(t.Head, l.name)
		t.Numbers = append(t.Numbers, i+1)
	}
	for _, at := range d.times() {
		row := []web.Cell{{Text: at.from.In(zone).Format("2006-01-02 15:04")}}
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
func (d drawn) cell(list []history.Bucket, s stretch) web.Cell {
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
		return web.Cell{}
	}
	mean := spell(d.unit, sum/float64(n))
	c := web.Cell{Text: mean}
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

// trimmed writes a number with as many digits as tell something.
func trimmed(v float64) string {
	switch a := math.Abs(v); {
	case v == math.Trunc(v) && a < 1e15, a >= 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
