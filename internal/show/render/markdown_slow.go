package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
)

// SlowMarkdown writes the comparison of two plans in Markdown.
func SlowMarkdown(w io.Writer, d *diagnose.Slow) error { return WriteMarkdown(w, SlowOutline(d)) }

// SlowSampleMarkdown writes what a watch told in Markdown.
func SlowSampleMarkdown(w io.Writer, d *diagnose.SlowSample) error {
	return WriteMarkdown(w, SlowSampleOutline(d))
}

// FigureWaits is the picture of what the processes of the server did.
const FigureWaits = "waits"

// SlowOutline is the comparison of two plans, before any form.
func SlowOutline(d *diagnose.Slow) Outline {
	var o Outline
	o.heading(1, "pgfettle diagnose slow")
	o.para(bold(d.Verdict))
	o.para("slow: ", code(d.Slow.Name), slowTotal(&d.Slow), "; fast: ", code(d.Fast.Name), slowTotal(&d.Fast))
	o.slowVerdicts(d.Verdicts)
	if len(d.Nodes) > 0 && d.Nodes[0].SlowOwn != nil {
		o.heading(2, "Where the time went")
		rows := slowRows(d)
		t := Table{Caption: "Where the time went, node by node", Head: append([]string{"node"}, rows[0]...), Numbers: 1}
		for i, r := range rows[1:] {
			n := &d.Nodes[i]
			// Markdown and HTML both drop spaces at the left: dots keep the tree.
			name := strings.Repeat("· ", min(n.Depth, 20)) + flat(n.Head)
			t.Rows = append(t.Rows, append([]Prose{prose(name)}, cells(r...)...))
		}
		o.add(t)
		o.toned(ToneNote, slowNote)
	}
	if !d.SamePlan && len(d.Diff) > 0 {
		o.heading(2, "The plans: - ", code(d.Fast.Name), " + ", code(d.Slow.Name))
		o.add(Listing{Lines: d.Diff, Diff: true})
	}
	o.slowList("Ruled out", d.RuledOut)
	o.slowList("Not measured", d.Missing)
	return o
}

// slowTotal is how long a run took, with a comma before it.
func slowTotal(p *diagnose.SlowPlan) string {
	if p.Total == nil {
		return ""
	}
	return ", " + slowMS(*p.Total)
}

func (o *Outline) slowVerdicts(list []diagnose.SlowVerdict) {
	for i := range list {
		v := &list[i]
		o.heading(2, fmt.Sprintf("%d. ", i+1), flat(slowTitle(v)))
		o.list(items(v.Evidence))
		if len(v.Next) > 0 {
			o.para(bold("What to look at next"))
			o.list(items(v.Next))
		}
	}
}

func (o *Outline) slowList(title string, list []string) {
	if len(list) > 0 {
		o.heading(2, title)
		o.list(items(list))
	}
}

// SlowSampleOutline is what a watch told, before any form.
func SlowSampleOutline(d *diagnose.SlowSample) Outline {
	var o Outline
	o.heading(1, "pgfettle diagnose slow --sample")
	o.para(bold(flat(d.Verdict)))
	o.slowVerdicts(d.Verdicts)
	o.heading(2, seenIn(d))
	t := Table{Caption: "What was measured; ~ was not", Head: []string{"what", "measured"}}
	for _, row := range slowFigureRows(d) {
		t.Rows = append(t.Rows, cells(row[0], row[1]))
	}
	o.add(t)
	if len(d.Waits) > 0 {
		o.heading(2, "What the processes of the server did")
		rows := [][]string{{"wait event", "process", "at once, on average"}}
		for i := range d.Waits[:min(len(d.Waits), slowLines)] {
			w := &d.Waits[i]
			rows = append(rows, []string{WaitName(w), w.Backend, atOnce(d, w)})
		}
		o.add(Figure{Name: FigureWaits}, tableOf("What the processes of the server did, on average at once", rows, 2))
	}
	if len(d.Processes) > 0 {
		o.heading(2, "Processors used, by process")
		rows := [][]string{{"process", "whose", "processors"}}
		for i := range d.Processes {
			b := &d.Processes[i]
			rows = append(rows, []string{digits(b.PID) + " " + b.Name, whoseProcess(b), processorsUsed(d, b)})
		}
		o.add(tableOf("Processors used, by process", rows, 2))
	}
	if len(d.Functions) > 0 {
		o.heading(2, "Functions, of the whole host (perf)")
		rows := [][]string{{"function", "meaning", "share"}}
		for i := range d.Functions {
			if f := &d.Functions[i]; slowShown(i, f) {
				rows = append(rows, []string{functionName(f), f.Meaning, fmt.Sprintf("%.1f %%", f.Percent)})
			}
		}
		o.add(tableOf("Functions that took the time", rows, 2))
	}
	o.gaps(2, "Could not be seen", d.Missing)
	return o
}
