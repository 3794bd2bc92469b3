package render

import (
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// HistorySchema names the version of the JSON form.
const HistorySchema = "pgfettle.history/1"

// History is what a history tells of a span of time: events, or series.
type History struct {
	Schema string          `json:"schema"`
	File   string          `json:"file"`
	From   time.Time       `json:"from"`
	To     time.Time       `json:"to"`
	First  time.Time       `json:"first,omitzero"` // of the samples in the file; zero: there are none
	Last   time.Time       `json:"last,omitzero"`
	Older  bool            `json:"older"`  // more events were in that span, before those that are told
	Events []store.Event   `json:"events"` // oldest first
	Series []HistorySeries `json:"series"`
}

// HistorySeries is one series in that span.
type HistorySeries struct {
	store.Series
	Unit    string         `json:"unit"`
	Kind    store.Kind     `json:"kind"`
	Help    string         `json:"help"`
	Buckets []store.Bucket `json:"buckets"` // oldest first; none where nothing was sampled
}

// HistoryJSON writes the document. No array is null.
func HistoryJSON(w io.Writer, d History) error {
	d.Schema = HistorySchema
	d.Events = append([]store.Event{}, d.Events...)
	d.Series = append([]HistorySeries{}, d.Series...)
	for i := range d.Series {
		d.Series[i].Buckets = append([]store.Bucket{}, d.Series[i].Buckets...)
	}
	return writeJSON(w, d)
}

// Times are told as they are stored, in UTC: those of a host and of who reads
// differ, and the hour that a change of the clock repeats is there once.
const (
	historyDay  = "2006-01-02"
	historyTime = "15:04:05"
	historyFull = "2006-01-02 15:04"
)

var eventWords = map[store.EventKind]say.Message{
	store.SettingChanged:  say.M("show/history/setting", "setting"),
	store.FindingAppeared: say.M("show/history/finding_new", "new finding"),
	store.FindingVanished: say.M("show/history/finding_gone", "finding gone"),
	store.FindingSeverity: say.M("show/history/finding_severity", "finding"),
	store.PlanStale:       say.M("show/history/plan_stale", "plan stale"),
	store.Restarted:       say.M("show/history/restart", "restart"),
	store.OOMKill:         say.M("show/history/oom", "OOM kill"),
	store.Gap:             say.M("show/history/gap", "gap"),
	store.ClockJumped:     say.M("show/history/clock", "clock"),
	store.Limited:         say.M("show/history/limit", "limit"),
}

var eventTone = map[store.EventKind]tone{
	store.FindingAppeared: yellow, store.FindingSeverity: yellow, store.FindingVanished: green,
	store.PlanStale: yellow, store.OOMKill: red, store.Gap: faint, store.ClockJumped: faint, store.Limited: red,
}

// HistoryText writes what changed when, the newest last, or the series.
func HistoryText(w io.Writer, d History, st Style) error {
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
	for _, m := range eventWords {
		width = max(width, runes(p.word(m)))
	}
	day := ""
	for _, e := range d.Events {
		if at := e.At.Format(historyDay); at != day {
			if day != "" {
				p.gap()
			}
			day = at
			p.line(p.tint(strong, day))
		}
		lead := "  " + e.At.Format(historyTime) + "  "
		indent := strings.Repeat(" ", runes(lead)+width+2)
		lead += p.tint(eventTone[e.Kind], pad(p.word(eventWords[e.Kind]), width)) + "  "
		for _, l := range wrap(p.event(e), p.st.Width-runes(indent)) {
			p.line(lead, l)
			lead = indent
		}
		for _, s := range p.besides(e) {
			p.para(indent, faint, s)
		}
	}
	if len(d.Events) > 0 {
		p.gap()
	}
	p.para("", strong, p.historySummary(d))
	_, err := io.WriteString(w, p.b.String())
	return err
}

// event is what happened, in a clause.
func (p *page) event(e store.Event) string {
	from, to := shown(e.Before), shown(e.After)
	switch e.Kind {
	case store.SettingChanged:
		return p.say("show/history/changed", "{name}: {before} → {after}", "name", clean(e.Subject), "before", from, "after", to)
	case store.FindingAppeared:
		return p.say("show/history/appeared", "{severity}: {title} ({id})", "severity", clean(e.After), "title", clean(e.Detail), "id", clean(e.Subject))
	case store.FindingVanished:
		return p.say("show/history/vanished", "{title} ({id}, was {severity})", "severity", clean(e.Before), "title", clean(e.Detail), "id", clean(e.Subject))
	case store.FindingSeverity:
		return p.say("show/history/severity", "{before} → {after}: {title} ({id})", "before", from, "after", to, "title", clean(e.Detail), "id", clean(e.Subject))
	case store.PlanStale:
		return p.say("show/history/stale", "{fact} moved: {before} → {after}", "fact", clean(e.Subject), "before", from, "after", to)
	case store.Restarted:
		if e.Instance == "" {
			return p.say("show/history/booted", "the host was started at {when}", "when", clean(e.After))
		}
		return p.say("show/history/started", "the server was started at {when}", "when", clean(e.After))
	case store.OOMKill:
		if e.Subject == "" {
			return p.say("show/history/killed_some", "the kernel killed a process for memory")
		}
		return p.say("show/history/killed", "the kernel killed {name} for memory", "name", clean(e.Subject))
	case store.Gap:
		return p.say("show/history/nothing", "nothing was stored for {long}", "long", howLong(e.At.Sub(e.Since)))
	case store.ClockJumped:
		return p.say("show/history/jumped", "{before} → {after}", "before", from, "after", to)
	}
	return clean(e.Detail)
}

// besides are the particulars of an event: of what, by whom, where, since when.
func (p *page) besides(e store.Event) []string {
	var out []string
	if e.Instance != "" {
		out = append(out, clean(e.Instance))
	}
	switch {
	case e.Who != "" && e.Where != "":
		out = append(out, p.say("show/history/by_in", "by {who}, in {where}", "who", clean(e.Who), "where", clean(e.Where)))
	case e.Who != "":
		out = append(out, p.say("show/history/by", "by {who}", "who", clean(e.Who)))
	case e.Where != "":
		out = append(out, p.say("show/history/in", "in {where}", "where", clean(e.Where)))
	}
	switch e.Kind {
	case store.FindingAppeared, store.FindingVanished, store.FindingSeverity, store.Limited: // told already
	default:
		if e.Detail != "" {
			out = append(out, clean(e.Detail))
		}
	}
	if e.Kind != store.Gap && !e.Since.IsZero() && e.At.Sub(e.Since) > time.Minute {
		out = append(out, p.say("show/history/since", "seen now; it was not so at {when}", "when", e.Since.Format(historyFull)))
	}
	return out
}

func (p *page) historySummary(d History) string {
	from, to := d.From.Format(historyFull), d.To.Format(historyFull)
	switch {
	case d.Last.IsZero() && len(d.Events) == 0:
		return p.say("show/history/empty", "The history holds nothing yet: 'pgfettle watch' fills it.")
	case len(d.Events) == 0:
		return p.say("show/history/none", "Nothing changed from {from} to {to} (UTC).", "from", from, "to", to)
	case d.Older:
		return p.many("show/history/newest", len(d.Events), "The newest {n} event from {from} to {to} (UTC); --limit shows more.", "The newest {n} events from {from} to {to} (UTC); --limit shows more.", "from", from, "to", to)
	}
	return p.many("show/history/all", len(d.Events), "{n} event from {from} to {to} (UTC).", "{n} events from {from} to {to} (UTC).", "from", from, "to", to)
}

// howLong is a length of time as a person says it, in its two greatest units.
func howLong(d time.Duration) string {
	units := []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	for i, u := range units {
		if d < u.size && i < len(units)-1 {
			continue
		}
		out := strconv.FormatInt(int64(d/u.size), 10) + " " + u.name
		if rest := d % u.size; i < len(units)-1 && rest >= units[i+1].size {
			out += " " + strconv.FormatInt(int64(rest/units[i+1].size), 10) + " " + units[i+1].name
		}
		return out
	}
	return ""
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
func (p *page) series(d History, s HistorySeries) {
	name := clean(s.Name)
	if s.Label != "" {
		name += "{" + clean(s.Label) + "}"
	}
	p.para("", strong, name+p.colon()+clean(s.Help))
	if s.Instance != "" {
		p.para("  ", faint, clean(s.Instance))
	}
	if len(s.Buckets) == 0 {
		p.para("  ", plain, p.say("show/history/no_samples", "no sample from {from} to {to} (UTC)", "from", d.From.Format(historyFull), "to", d.To.Format(historyFull)))
		return
	}
	lo, hi, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, b := range s.Buckets {
		lo, hi, sum, n = min(lo, b.Min), max(hi, b.Max), sum+b.Mean*float64(b.N), n+b.N
	}
	p.line("  ", p.tint(cyan, p.spark(d, s.Buckets)))
	p.para("  ", plain, p.say("show/history/range", "{from} to {to} (UTC): from {least} to {most}, {mean} on average, {last} at the end",
		"from", d.From.Format(historyFull), "to", d.To.Format(historyFull), "least", inUnit(lo, s.Unit), "most", inUnit(hi, s.Unit),
		"mean", inUnit(sum/float64(n), s.Unit), "last", inUnit(s.Buckets[len(s.Buckets)-1].Last, s.Unit)))
	rows := [][]string{{p.say("show/history/from", "from"), p.say("show/history/least", "least"), p.say("show/history/mean", "mean"), p.say("show/history/most", "most")}}
	step := (len(s.Buckets) + rowsMost - 1) / rowsMost
	for i := 0; i < len(s.Buckets); i += step {
		at := s.Buckets[i]
		lo, hi, sum, n := at.Min, at.Max, 0.0, 0
		for _, b := range s.Buckets[i:min(i+step, len(s.Buckets))] {
			lo, hi, sum, n = min(lo, b.Min), max(hi, b.Max), sum+b.Mean*float64(b.N), n+b.N
		}
		rows = append(rows, []string{at.At.Format(historyFull), inUnit(lo, s.Unit), inUnit(sum/float64(n), s.Unit), inUnit(hi, s.Unit)})
	}
	widths := make([]int, 4)
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], runes(c))
		}
	}
	for i, r := range rows {
		t := plain
		if i == 0 {
			t = faint
		}
		p.line("  ", p.tint(t, pad(r[0], widths[0])+"  "+padLeft(r[1], widths[1])+"  "+padLeft(r[2], widths[2])+"  "+padLeft(r[3], widths[3])))
	}
}

// spark draws the means over the whole span, a sign for each part of it; where
// nothing was sampled there is a space.
func (p *page) spark(d History, list []store.Bucket) string {
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

// inUnit is a value of a series with its unit.
func inUnit(v float64, of string) string {
	switch of {
	case "bytes":
		return unit.Bytes(v).String()
	case "bytes/s":
		return unit.Bytes(v).String() + "/s"
	case "ratio":
		return threeDigits(v*100) + " %"
	case "seconds":
		return threeDigits(v) + " s"
	case "1/s":
		return threeDigits(v) + "/s"
	}
	return threeDigits(v)
}

// threeDigits is a number as exactly as a person compares it.
func threeDigits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 1:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// HistoryListText names series, below their instance.
func HistoryListText(w io.Writer, d History, st Style) error {
	p := newPage(st)
	width, at := 0, "-"
	name := func(s HistorySeries) string {
		if s.Label == "" {
			return clean(s.Name)
		}
		return clean(s.Name) + "{" + clean(s.Label) + "}"
	}
	for _, s := range d.Series {
		width = max(width, runes(name(s)))
	}
	for _, s := range d.Series {
		if s.Instance != at {
			if at != "-" {
				p.gap()
			}
			at = s.Instance
			if at == "" {
				p.line(p.tint(strong, p.say("show/history/the_host", "The host")))
			} else {
				p.line(p.tint(strong, clean(at)))
			}
		}
		p.para("  "+pad(name(s), min(width, 48))+"  ", plain, clean(s.Help))
	}
	if len(d.Series) == 0 {
		p.para("", strong, p.say("show/history/empty", "The history holds nothing yet: 'pgfettle watch' fills it."))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}
