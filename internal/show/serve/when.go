package serve

import (
	"net/url"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// span is the time that a page of the history is about.
type span struct {
	From, To time.Time
	Range    string // one of ranges that ends now; "": from and to were said
}

// spans are the ranges that one link leads to.
var spans = []struct {
	Name  string
	Long  time.Duration
	Label say.Message
}{
	{"1h", time.Hour, say.M("{time}", "time", say.Number("1 h"))},
	{"6h", 6 * time.Hour, say.M("{time}", "time", say.Number("6 h"))},
	{"1d", 24 * time.Hour, say.N(1, "{n} day", "{n} days")},
	{"7d", 7 * 24 * time.Hour, say.N(7, "{n} day", "{n} days")},
	{"30d", 30 * 24 * time.Hour, say.N(30, "{n} day", "{n} days")},
	{"1y", 365 * 24 * time.Hour, say.N(1, "{n} year", "{n} years")},
}

const (
	usual    = "1d"
	shortest = time.Minute
	farthest = 10 * 366 * 24 * time.Hour // of what a history may hold
)

// layouts are the forms of a time that an address may have: those of the fields
// of browsers, of RFC 3339, and a day.
var layouts = []string{"2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339, time.DateOnly, "2006-01-02 15:04"}

// field of a browser is filled in so.
const local = "2006-01-02T15:04"

// errNoTime is what is not written as a time.
var errNoTime = say.Usage(say.M("write a time such as 2026-11-21T18:30"), say.Message{})

// moment reads a time; UTC where it names no zone, as the pages of the history and the axes of their pictures are: a
// time that is there twice or not at all when clocks are restored or forward would be a poor one to look for a fault
// at.
func moment(s string) (time.Time, error) {
	for _, l := range layouts {
		t, err := time.Parse(l, s)
		if err == nil && written(t) {
			return t, nil
		}
	}
	return time.Time{}, errNoTime
}

// written reports whether a time is one that an address of ours may have: of no host there is a history before, and a
// year has four digits.
func written(t time.Time) bool { return t.UTC().Year() >= 2000 && t.UTC().Year() < 2200 }

// when are the questions for a time, filled in.
func when(said url.Values) []field {
	f := []field{{Name: "from", Label: say.M("From (UTC)"), Moment: true},
		{Name: "to", Label: say.M("To (UTC)"), Moment: true}}
	fill(said, f)
	return f
}

// spanOf reads what an address says of the time. What is wrong is noted beside
// its question.
func spanOf(said url.Values, fields []field, now time.Time) span {
	from, to, name := formValue(said, "from"), formValue(said, "to"), formValue(said, "range")
	out := span{To: now, Range: name}
	if from == "" && to == "" {
		if name == "" {
			out.Range = usual
		}
		for _, r := range spans {
			if r.Name == out.Range {
				out.From = now.Add(-r.Long)
				return out
			}
		}
		out.Range = usual
		out.From = now.Add(-24 * time.Hour)
		note(fields, "from", say.M("there is no range {name}; choose one of those above, or write two times",
			"name", say.Quoted(name)))
		return out
	}
	out.Range = ""
	var err error
	if to != "" {
		if out.To, err = moment(to); err != nil {
			note(fields, "to", say.OfError(err))
			out.To = now
		}
	}
	out.From = out.To.Add(-24 * time.Hour)
	if from != "" {
		if out.From, err = moment(from); err != nil {
			note(fields, "from", say.OfError(err))
			out.From = out.To.Add(-24 * time.Hour)
		}
	}
	switch long := out.To.Sub(out.From); {
	case wrongOnes(fields):
	case !written(out.From):
		note(fields, "from", say.OfError(errNoTime))
	case long < shortest:
		note(fields, "to", say.M("write a time at least one minute after the first"))
	case long > farthest:
		note(fields, "from", say.M("write a time less than ten years before the other"))
	}
	return out
}

// atTime is the address of a page about another time, with what else was said.
func atTime(path string, said url.Values, sp span) string {
	v := url.Values{}
	for name := range said {
		v.Set(name, said.Get(name))
	}
	v.Del("range")
	v.Del("from")
	v.Del("to")
	if sp.Range != "" {
		v.Set("range", sp.Range)
	} else {
		v.Set("from", sp.From.UTC().Format(local))
		v.Set("to", sp.To.UTC().Format(local))
	}
	return address(path, v)
}

// ranges are the links to the usual times.
func (t *tongue) ranges(said url.Values, now span) []web.Link {
	var out []web.Link
	for _, r := range spans {
		out = append(out, web.Link{Href: atTime("/history", said, span{Range: r.Name}), Text: t.Word(r.Label),
			Current: r.Name == now.Range})
	}
	return out
}

// moves are the links to the time around the one that is shown.
func (t *tongue) moves(said url.Values, sp span, now time.Time) []web.Link {
	long := sp.To.Sub(sp.From)
	half, quarter := long/2, long/4
	var out []web.Link
	add := func(text say.Template, from, to time.Duration) {
		next := span{From: sp.From.Add(from), To: sp.To.Add(to)}
		if written(next.From) && written(next.To) {
			out = append(out, web.Link{Href: atTime("/history", said, next), Text: t.Say(text)})
		}
	}
	add("Earlier", -half, -half)
	if sp.To.Before(now.Add(-time.Minute)) {
		add("Later", half, half)
	}
	if half >= 2*shortest {
		add("Zoom in", quarter, -quarter)
	}
	if 2*long < farthest {
		add("Zoom out", -half, half)
	}
	return out
}
