package reports

import (
	"math"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var eventTones = map[history.EventKind]outline.Tone{
	history.FindingAppeared: outline.ToneMind, history.FindingSeverity: outline.ToneMind,
	history.FindingVanished: outline.ToneGood, history.PlanStale: outline.ToneMind, history.OOMKill: outline.ToneBad,
	history.Gap: outline.ToneNote, history.ClockJumped: outline.ToneNote, history.Limited: outline.ToneBad,
}

// History is what changed when, the newest last, or the series where the document has any.
func History(d document.History, c *say.Catalogue) outline.Outline {
	p := outline.WordsIn(c)
	var o outline.Outline
	if len(d.Series) > 0 {
		for _, s := range d.Series {
			series(&o, p, d, s)
		}
		return o
	}
	longest := ""
	for _, m := range outline.EventWords {
		if w := p.Word(m); typeset.Width(w) > typeset.Width(longest) {
			longest = w
		}
	}
	day := ""
	var rows outline.Rows
	flush := func() {
		if len(rows.List) > 0 {
			o.Add(rows)
		}
		rows = outline.Rows{Longest: []string{outline.HistoryTime, longest}}
	}
	for _, e := range d.Events {
		if at := e.At.Format(outline.HistoryDay); at != day {
			flush()
			day = at
			o.Heading(2, day)
		}
		row := outline.RowOf(e.At.Format(outline.HistoryTime), p.Word(outline.EventWords[e.Kind]), p.Event(e))
		row.Tone = eventTones[e.Kind]
		for _, s := range p.Besides(e) {
			row.More = append(row.More, outline.Para{Text: outline.Join(s), Tone: outline.ToneNote})
		}
		rows.List = append(rows.List, row)
	}
	flush()
	o.Summary(p.HistorySummary(d))
	return o
}

// rowsMost is how many lines a table of a series has: a screen holds them with the picture above.
const rowsMost = 16

// seriesName is a series as --series takes it.
func seriesName(s document.HistorySeries) string {
	if s.Label == "" {
		return s.Name
	}
	return s.Name + "{" + s.Label + "}"
}

// series is one series: a picture, its bounds, and a table.
func series(o *outline.Outline, p outline.Words, d document.History, s document.HistorySeries) {
	o.Heading(2, seriesName(s), p.Colon(), s.Help)
	o.Toned(outline.ToneNote, s.Instance)
	from, to := d.From.Format(outline.HistoryFull), d.To.Format(outline.HistoryFull)
	if len(s.Buckets) == 0 {
		o.Para(p.Say("no sample from {from} to {to} (UTC)", "from", from, "to", to))
		return
	}
	o.Add(outline.Figure{Name: "series", Title: seriesName(s), Picture: spark{d.From, d.To, s.Buckets}, Close: true})
	lo, hi, mean := bounds(s.Buckets)
	o.Para(p.Say("{from} to {to} (UTC): minimum {least}, maximum {most}, mean {mean}, last {last}",
		"from", from, "to", to, "least", p.InUnit(lo, s.Unit), "most", p.InUnit(hi, s.Unit),
		"mean", p.InUnit(mean, s.Unit), "last", p.InUnit(s.Buckets[len(s.Buckets)-1].Last, s.Unit)))
	t := outline.Table{Caption: seriesName(s), Numbers: 1, Close: true,
		Head: []string{p.Say("start"), p.Say("minimum"),
			p.Say("mean"), p.Say("maximum")}}
	step := (len(s.Buckets) + rowsMost - 1) / rowsMost
	for i := 0; i < len(s.Buckets); i += step {
		lo, hi, mean := bounds(s.Buckets[i:min(i+step, len(s.Buckets))])
		t.Rows = append(t.Rows, outline.Cells(s.Buckets[i].At.Format(outline.HistoryFull), p.InUnit(lo, s.Unit),
			p.InUnit(mean, s.Unit), p.InUnit(hi, s.Unit)))
	}
	o.Add(t)
}

// bounds are the least and the greatest value of some buckets, and their mean.
func bounds(list []history.Bucket) (lo, hi, mean float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	sum, n := 0.0, 0
	for _, b := range list {
		lo, hi, sum, n = min(lo, b.Min), max(hi, b.Max), sum+b.Mean*float64(b.N), n+b.N
	}
	return lo, hi, sum / float64(n)
}

// sparks are the steps of a line of signs, the lowest first.
var (
	sparks      = []rune("▁▂▃▄▅▆▇█")
	sparksASCII = []rune("_.:-=+*#")
)

// sparkMost bounds the line: a longer one shows nothing more.
const sparkMost = 72

// spark is a picture of one line: the means over the whole span, a sign for each part of it, and a space if nothing was
// sampled.
type spark struct {
	from, to time.Time
	list     []history.Bucket
}

// Draw draws it.
func (s spark) Draw(width int, plain bool) []outline.Prose {
	signs := sparks
	if plain {
		signs = sparksASCII
	}
	cells := max(min(width, sparkMost), 1)
	sum, n := make([]float64, cells), make([]int, cells)
	whole := s.to.Sub(s.from)
	for _, b := range s.list {
		i := min(max(int(float64(b.At.Sub(s.from))/float64(whole)*float64(cells)), 0), cells-1)
		sum[i] += b.Mean * float64(b.N)
		n[i] += b.N
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range sum {
		if n[i] > 0 {
			sum[i] /= float64(n[i])
			lo, hi = min(lo, sum[i]), max(hi, sum[i])
		}
	}
	var out strings.Builder
	for i := range sum {
		switch {
		case n[i] == 0:
			out.WriteByte(' ')
		case hi == lo:
			out.WriteRune(signs[0])
		default:
			out.WriteRune(signs[int((sum[i]-lo)/(hi-lo)*float64(len(signs)-1)+0.5)])
		}
	}
	return []outline.Prose{{{Text: out.String(), As: outline.AsInfo}}}
}

// Series names series, below their instance.
func Series(d document.History, c *say.Catalogue) outline.Outline {
	p := outline.WordsIn(c)
	var o outline.Outline
	longest := ""
	for _, s := range d.Series {
		if name := seriesName(s); typeset.Width(name) > typeset.Width(longest) {
			longest = name
		}
	}
	for i := 0; i < len(d.Series); {
		at := d.Series[i].Instance
		rows := outline.Rows{Longest: []string{longest}}
		for ; i < len(d.Series) && d.Series[i].Instance == at; i++ {
			name := outline.Piece{Text: seriesName(d.Series[i]), As: outline.AsName}
			rows.List = append(rows.List, outline.RowOf(name, d.Series[i].Help))
		}
		if at == "" {
			at = p.Say("The host")
		}
		o.Heading(2, at)
		o.Add(rows)
	}
	if len(d.Series) == 0 {
		o.Summary(p.HistorySummary(document.History{}))
	}
	return o
}
