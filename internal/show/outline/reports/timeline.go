package reports

import (
	"slices"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// event is one line of what happened when.
type event struct{ at, what, process, cause say.Message }

// mostEvents bounds the table: who has more wants the JSON.
const mostEvents = 50

// timeline sets kills, deaths and refusals in their order, where there is more
// than one.
func (p oomWords) timeline(o *outline.Outline, d *oom.Report) {
	events := oomEvents(d)
	if len(events) < 2 {
		return
	}
	o.Part(p.Say("Timeline"))
	t := outline.Table{Caption: p.Say("Timeline"), Head: []string{p.Say("time"), p.Say("event"), p.Say("process"),
		p.Say("cause")}}
	for _, e := range events[max(len(events)-mostEvents, 0):] {
		t.Rows = append(t.Rows, outline.Cells(p.Word(e.at), p.Word(e.what), p.Word(e.process), p.flat(e.cause)))
	}
	o.Add(t)
	if n := len(events) - mostEvents; n > 0 {
		o.Toned(outline.ToneNote, p.Many(n, "{n} earlier event is only in --format json.",
			"{n} earlier events are only in --format json."))
	}
}

func oomEvents(d *oom.Report) []event {
	var out []event
	for i := range d.Kills {
		k := &d.Kills[i]
		e := event{at: k.Time, cause: k.Cause.Text}
		if k.Cause.ID == "unknown" && !k.Panic {
			e.cause = say.M("unknown")
		}
		switch {
		case k.Shown:
			e.what, e.process, e.cause = say.M("state of the memory"), say.M("none"), say.M("none")
		case k.Victim != nil:
			e.what, e.process = say.M("OOM kill"), processOf(k.Victim.PID, k.Victim.Name, k.Victim.Role)
		case k.Panic:
			e.what, e.process = say.M("kernel panic (out of memory)"), say.M("none")
		case k.NoVictim:
			e.what, e.process = say.M("OOM killer found no process"), say.M("none")
		case k.OnlyMemory:
			e.what, e.process = say.M("state of the memory"), say.M("unknown")
		default:
			e.what, e.process = say.M("OOM killer ran"), say.M("unknown")
		}
		out = append(out, e)
	}
	for _, u := range d.Unexplained {
		if u.PID == 0 {
			out = append(out, event{at: u.Time, what: say.M("unexpected postmaster exit"), process: roleOf(u.Role)})
			continue
		}
		out = append(out, event{at: u.Time, what: say.M("terminated by signal 9, sender unknown"),
			process: processOf(u.PID, "", u.Role)})
	}
	for _, r := range d.Refused {
		e := event{at: r.Time, what: say.M(`"out of memory" error`), process: say.M("unknown"),
			cause: say.Text(typeset.Shorten(typeset.Flat(r.Text), 120))}
		if r.What == "process" {
			e.what = say.M("failed fork")
		}
		if r.PID > 0 {
			e.process = processOf(r.PID, "", "")
		}
		out = append(out, e)
	}
	// Times of logs without a year or a zone are in no order with others.
	if when := times(out); when != nil {
		order := make([]int, len(out))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return when[a].Compare(when[b]) })
		sorted := make([]event, len(out))
		for i, at := range order {
			sorted[i] = out[at]
		}
		out = sorted
	}
	return out
}

// times are those of all events; nil if one of them cannot be compared.
func times(list []event) []time.Time {
	out := make([]time.Time, len(list))
	for i, e := range list {
		t, err := time.Parse(time.RFC3339Nano, e.at.English())
		if err != nil {
			return nil
		}
		out[i] = t
	}
	return out
}
