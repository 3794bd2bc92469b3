package term

import (
	"io"
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var eventTone = map[history.EventKind]tone{
	history.FindingAppeared: yellow, history.FindingSeverity: yellow, history.FindingVanished: green,
	history.PlanStale: yellow, history.OOMKill: red, history.Gap: faint, history.ClockJumped: faint,
	history.Limited: red,
}

// History writes what changed when, the newest last, or the series.
func History(w io.Writer, d document.History, st Style) error {
	p := newPage(st)
	if len(d.Series) > 0 {
		for i, s := range d.Series {
			if i > 0 {
				p.gap()
			}
			p.series(d, s)
		}
		_, err := io.WriteString(w, p.b.String())
		return err
	}
	width := 0
	for _, m := range outline.EventWords {
		width = max(width, typeset.Width(p.Word(m)))
	}
	day := ""
	for _, e := range d.Events {
		if at := e.At.Format(outline.HistoryDay); at != day {
			if day != "" {
				p.gap()
			}
			day = at
			p.line(p.tint(strong, day))
		}
		lead := "  " + e.At.Format(outline.HistoryTime) + "  "
		indent := strings.Repeat(" ", typeset.Width(lead)+width+2)
		lead += p.tint(eventTone[e.Kind], typeset.Pad(p.Word(outline.EventWords[e.Kind]), width)) + "  "
		for _, l := range typeset.Wrap(p.Event(e), p.st.Width-typeset.Width(indent)) {
			p.line(lead, l)
			lead = indent
		}
		for _, s := range p.Besides(e) {
			p.para(indent, faint, s)
		}
	}
	if len(d.Events) > 0 {
		p.gap()
	}
	p.para("", strong, p.HistorySummary(d))
	_, err := io.WriteString(w, p.b.String())
	return err
}

// sparks are the steps of a line of signs, the lowest first.
var (
	sparks      = []rune("▁▂▃▄▅▆▇█")
	sparksASCII = []rune("_.:-=+*#")
)

// rowsMost is how many lines a table of a series has: a screen holds them with
// the picture above.
const rowsMost = 16

// series draws one series: a line of signs, its bounds, and a table.
func (p *page) series(d document.History, s document.HistorySeries) {
	name := typeset.Clean(s.Name)
	if s.Label != "" {
		name += "{" + typeset.Clean(s.Label) + "}"
	}
	p.para("", strong, name+p.Colon()+typeset.Clean(s.Help))
	if s.Instance != "" {
		p.para("  ", faint, typeset.Clean(s.Instance))
	}
	if len(s.Buckets) == 0 {
		p.para("  ", plain, p.Say("show/history/no_samples", "no sample from {from} to {to} (UTC)", "from",
			d.From.Format(outline.HistoryFull), "to", d.To.Format(outline.HistoryFull)))
		return
	}
	lo, hi, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, b := range s.Buckets {
		lo, hi, sum, n = min(lo, b.Min), max(hi, b.Max), sum+b.Mean*float64(b.N), n+b.N
	}
	p.line("  ", p.tint(cyan, p.spark(d, s.Buckets)))
	p.para("  ", plain, p.Say("show/history/range",
		"{from} to {to} (UTC): from {least} to {most}, {mean} on average, {last} at the end",
		"from", d.From.Format(outline.HistoryFull), "to", d.To.Format(outline.HistoryFull), "least",
		outline.InUnit(lo, s.Unit), "most", outline.InUnit(hi, s.Unit),
		"mean", outline.InUnit(sum/float64(n), s.Unit), "last",
		outline.InUnit(s.Buckets[len(s.Buckets)-1].Last, s.Unit)))
	rows := [][]string{{p.Say("show/history/from", "from"), p.Say("show/history/least", "least"),
		p.Say("show/history/mean", "mean"), p.Say("show/history/most", "most")}}
	step := (len(s.Buckets) + rowsMost - 1) / rowsMost
	for i := 0; i < len(s.Buckets); i += step {
		at := s.Buckets[i]
		lo, hi, sum, n := at.Min, at.Max, 0.0, 0
		for _, b := range s.Buckets[i:min(i+step, len(s.Buckets))] {
			lo, hi, sum, n = min(lo, b.Min), max(hi, b.Max), sum+b.Mean*float64(b.N), n+b.N
		}
		rows = append(rows, []string{at.At.Format(outline.HistoryFull), outline.InUnit(lo, s.Unit),
			outline.InUnit(sum/float64(n), s.Unit), outline.InUnit(hi, s.Unit)})
	}
	widths := make([]int, 4)
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], typeset.Width(c))
		}
	}
	for i, r := range rows {
		t := plain
		if i == 0 {
			t = faint
		}
		p.line("  ", p.tint(t, typeset.Pad(r[0], widths[0])+"  "+typeset.PadLeft(r[1], widths[1])+
			"  "+typeset.PadLeft(r[2], widths[2])+"  "+typeset.PadLeft(r[3], widths[3])))
	}
}

// spark draws the means over the whole span, a sign for each part of it; where
// nothing was sampled there is a space.
func (p *page) spark(d document.History, list []history.Bucket) string {
	signs := sparks
	if p.st.ASCII {
		signs = sparksASCII
	}
	cells := min(p.st.Width-2, 72)
	sum, n := make([]float64, cells), make([]int, cells)
	whole := d.To.Sub(d.From)
	for _, b := range list {
		i := min(max(int(float64(b.At.Sub(d.From))/float64(whole)*float64(cells)), 0), cells-1)
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
	return out.String()
}

// Series names series, below their instance.
func Series(w io.Writer, d document.History, st Style) error {
	p := newPage(st)
	width, at := 0, "-"
	name := func(s document.HistorySeries) string {
		if s.Label == "" {
			return typeset.Clean(s.Name)
		}
		return typeset.Clean(s.Name) + "{" + typeset.Clean(s.Label) + "}"
	}
	for _, s := range d.Series {
		width = max(width, typeset.Width(name(s)))
	}
	for _, s := range d.Series {
		if s.Instance != at {
			if at != "-" {
				p.gap()
			}
			at = s.Instance
			if at == "" {
				p.line(p.tint(strong, p.Say("show/history/the_host", "The host")))
			} else {
				p.line(p.tint(strong, typeset.Clean(at)))
			}
		}
		p.para("  "+typeset.Pad(name(s), min(width, 48))+"  ", plain, typeset.Clean(s.Help))
	}
	if len(d.Series) == 0 {
		p.para("", strong, p.Say("show/history/empty", "The history holds nothing yet: 'pgfettle watch' fills it."))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}
