package render

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
)

// DiagnoseOOMMarkdown writes the post-mortem in Markdown.
func DiagnoseOOMMarkdown(w io.Writer, d *diagnose.OOM) error {
	return WriteMarkdown(w, DiagnoseOOMOutline(d))
}

// FigureHeld is the picture of what held the memory at kill At.
const FigureHeld = "held"

// DiagnoseOOMOutline is the post-mortem of kills, before any form.
func DiagnoseOOMOutline(d *diagnose.OOM) Outline {
	var o Outline
	o.heading(1, "pgfettle diagnose oom")
	tone := ToneGood
	switch {
	case len(d.Kills) > 0:
		tone = ToneBad
	case len(d.Unexplained)+len(d.Refused) > 0:
		tone = ToneMind
	}
	o.toned(tone, bold(flat(killVerdict(d))))
	o.timeline(d)
	shown := 0
	for i := len(d.Kills) - 1; i >= 0 && shown < maxKillsShown; i-- {
		shown++
		o.kill(&d.Kills[i], i, len(d.Kills))
	}
	if n := len(d.Kills) - shown; n > 0 {
		o.toned(ToneMind, killsBefore(n))
	}
	o.deaths(d)
	o.gaps(2, "Not told by what was read", d.Missing)
	if d.Read.Cut {
		o.toned(ToneMind, logsCut)
	}
	return o
}

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
func (o *Outline) timeline(d *diagnose.OOM) {
	events := oomEvents(d)
	if len(events) < 2 {
		return
	}
	o.heading(2, "What happened when")
	t := Table{Caption: "Kills, deaths and refusals, the oldest first", Head: []string{"time", "what", "process", "cause"}}
	for _, e := range events[max(len(events)-mostEvents, 0):] {
		t.Rows = append(t.Rows, cells(e.at, e.what, e.whom, e.cause))
	}
	o.add(t)
	if n := len(events) - mostEvents; n > 0 {
		o.toned(ToneNote, fmt.Sprintf("%s before these are in --format json only.", count(n, "event", "events")))
	}
}

func oomEvents(d *diagnose.OOM) []event {
	var out []event
	for i := range d.Kills {
		k := &d.Kills[i]
		e := event{at: k.Time, what: "killed by the OOM killer", whom: "not told", cause: flat(k.Cause.Text)}
		if v := k.Victim; v != nil {
			e.whom = fmt.Sprintf("%d %s%s", v.PID, v.Name, roleComma(v.Role))
		}
		out = append(out, e)
	}
	for _, u := range d.Unexplained {
		out = append(out, event{u.Time, "ended by signal 9, and no report says by whom", fmt.Sprintf("%d%s", u.PID, roleComma(u.Role)), ""})
	}
	for _, r := range d.Refused {
		out = append(out, event{r.Time, "refused memory", strconv.Itoa(r.PID), shorten(flat(r.Text), 120)})
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

// kill is one run of the killer.
func (o *Outline) kill(k *diagnose.OOMKill, at, of int) {
	o.heading(2, killHead(k, at+1, of))
	var who []Item
	field := func(name, text string) {
		if text != "" {
			who = append(who, Item{Text: prose(bold(name), " ", text)})
		}
	}
	if k.Victim != nil {
		field("victim", victimText(k))
		if st := statementOf(k.Victim.Statement, 600); st != "" {
			who = append(who, Item{Text: prose(bold("statement"), " ", code(st))})
		}
	} else {
		field("victim", "not told")
	}
	if k.Invoker != nil {
		field("asked by", invokerText(k.Invoker))
	}
	field("short of memory in", shortOf(k))
	o.list(who)
	o.heading(3, "Cause")
	o.cause(&k.Cause, ToneBad)
	for i := range k.Also {
		o.cause(&k.Also[i], ToneMind)
	}
	o.held(k, at)
	o.largest(k)
	o.heading(3, "What would have prevented it")
	if len(k.Prevention) == 0 {
		o.para(nothingPrevents)
	}
	var list []Item
	for i := range k.Prevention {
		v := &k.Prevention[i]
		it := Item{Text: prose(bold(preventionText(v)))}
		if v.Why != "" {
			it.More = append(it.More, Para{Text: prose(flat(v.Why))})
		}
		if len(v.Commands) > 0 {
			it.More = append(it.More, Listing{Lines: v.Commands})
		}
		list = append(list, it)
	}
	o.list(list)
	o.heading(3, "What became of the server")
	o.para(afterText(&k.After))
	o.gaps(3, "Not told by this report", k.Missing)
}

func (o *Outline) cause(c *diagnose.OOMCause, t Tone) {
	o.toned(t, flat(c.Text))
	var list []Item
	for _, e := range c.Evidence {
		list = append(list, Item{Text: prose(shorten(flat(e), 400))})
	}
	o.list(list)
}

// held is the accounting of the memory at a kill.
func (o *Outline) held(k *diagnose.OOMKill, at int) {
	parts := heldParts(&k.Memory)
	if parts == nil {
		return
	}
	o.heading(3, "What held the memory")
	rows := [][]string{{"part", "size", "share"}}
	for _, part := range parts {
		row := []string{strings.TrimSpace(part.name), part.size.String(), ""}
		if part.share >= 0 {
			row[2] = fmt.Sprintf("%.0f %%", 100*part.share)
		}
		rows = append(rows, row)
	}
	switch m := &k.Memory; {
	case m.SwapTotal == nil:
	case *m.SwapTotal == 0:
		rows = append(rows, []string{"swap", "none", ""})
	default:
		rows = append(rows, []string{"swap, of it free " + sizeOf(m.SwapFree), m.SwapTotal.String(), ""})
	}
	o.add(Figure{Name: FigureHeld, At: at}, tableOf("What held the memory", rows, 1))
}

func (o *Outline) largest(k *diagnose.OOMKill) {
	if len(k.Top) == 0 {
		return
	}
	o.heading(3, "Largest processes")
	o.para("As the killer weighs them: all that is resident, swap, page tables.")
	t := Table{Caption: "Largest processes", Head: []string{"process", "resident", "private", "page tables", "swap", "oom_score_adj"}, Numbers: 1}
	for i := range k.Top {
		x := &k.Top[i]
		name := fmt.Sprintf("%d %s%s", x.PID, x.Name, roleComma(x.Role))
		row := cells(name, sizeOf(x.RSS), sizeOf(x.Anon), sizeOf(x.PageTables), sizeOf(x.Swap), adjOf(x))
		if k.Victim != nil && k.Victim.PID == x.PID {
			row[0] = prose(bold(name), " (the victim)")
		}
		t.Rows = append(t.Rows, row)
	}
	o.add(t)
}

// deaths are what the server's log tells beside the kernel's reports.
func (o *Outline) deaths(d *diagnose.OOM) {
	told := func(text, statement string) Item {
		if st := statementOf(statement, 400); st != "" {
			return Item{Text: prose(text, ": ", code(st))}
		}
		return Item{Text: prose(text)}
	}
	var list []Item
	for i := range d.Unexplained {
		list = append(list, told(deathText(&d.Unexplained[i]), d.Unexplained[i].Statement))
	}
	if len(list) > 0 {
		o.heading(2, "Ended by signal 9, with no report of the kernel")
		o.list(list)
	}
	list = nil
	for i := range d.Refused {
		list = append(list, told(refusalText(&d.Refused[i]), d.Refused[i].Statement))
	}
	if len(list) > 0 {
		o.heading(2, "Refused memory, and nothing killed")
		o.list(list)
	}
	if len(d.Lines) > 0 {
		o.heading(2, "Said besides, by systemd and the kernel")
		o.add(Listing{Lines: d.Lines})
	}
}

// gaps lists what is not told, below a heading of its own.
func (o *Outline) gaps(level int, title string, list []known.Gap) {
	if len(list) == 0 {
		return
	}
	o.heading(level, title)
	var out []Item
	for _, g := range list {
		text := flat(g.Fact) + ": " + flat(g.Reason)
		if g.Reveal != "" {
			text += " → " + flat(g.Reveal)
		}
		out = append(out, Item{Text: prose(text)})
	}
	o.list(out)
}
