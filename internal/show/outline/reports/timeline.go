package reports

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// event is one line of what happened when.
type event struct {
	at         string
	what, whom string
	cause      string
}

// mostEvents bounds the table: who has more wants the JSON.
const mostEvents = 50

// timeline sets kills, deaths and refusals in their order, where there is more
// than one.
func timeline(o *outline.Outline, d *oom.Report) {
	events := oomEvents(d)
	if len(events) < 2 {
		return
	}
	o.Part("What happened when")
	t := outline.Table{Caption: "Kills, deaths and refusals, the oldest first",
		Head: []string{"time", "what", "process", "cause"}}
	for _, e := range events[max(len(events)-mostEvents, 0):] {
		t.Rows = append(t.Rows, outline.Cells(e.at, e.what, e.whom, e.cause))
	}
	o.Add(t)
	if n := len(events) - mostEvents; n > 0 {
		o.Toned(outline.ToneNote, fmt.Sprintf("%s before these are in --format json only.",
			typeset.Count(n, "event", "events")))
	}
}

func oomEvents(d *oom.Report) []event {
	var out []event
	for i := range d.Kills {
		k := &d.Kills[i]
		e := event{at: k.Time, what: "killed by the OOM killer", whom: "not told", cause: typeset.Flat(k.Cause.Text)}
		switch {
		case k.Victim != nil:
		case k.Panic:
			e.what, e.whom = "kernel panic, out of memory", "none"
		case k.NoVictim:
			e.what, e.whom = "the OOM killer found no process to kill", "none"
		case k.OnlyMemory:
			e.what = "state of memory"
		default:
			e.what = "OOM killer called"
		}
		if v := k.Victim; v != nil {
			e.whom = fmt.Sprintf("%d %s%s", v.PID, v.Name, RoleComma(v.Role))
		}
		out = append(out, e)
	}
	for _, u := range d.Unexplained {
		if u.PID == 0 {
			out = append(out, event{u.Time, "gone (unexpected postmaster exit)", u.Role, ""})
			continue
		}
		out = append(out, event{u.Time, "ended by signal 9, and no report says by whom",
			fmt.Sprintf("%d%s", u.PID, RoleComma(u.Role)), ""})
	}
	for _, r := range d.Refused {
		out = append(out, event{r.Time, "refused memory", strconv.Itoa(r.PID),
			typeset.Shorten(typeset.Flat(r.Text), 120)})
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

// times are those of all events; nil where one of them cannot be compared.
func times(list []event) []time.Time {
	out := make([]time.Time, len(list))
	for i, e := range list {
		t, err := time.Parse(time.RFC3339Nano, e.at)
		if err != nil {
			return nil
		}
		out[i] = t
	}
	return out
}
