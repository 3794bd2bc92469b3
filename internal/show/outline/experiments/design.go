package experiments

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Design is an experiment before it begins: what is compared, how, what it takes, and what is left out, for who decides
// whether to begin.
func Design(d document.Design) outline.Outline {
	var o outline.Outline
	e := d.Experiment
	single := e.Design == experiment.DesignSingle
	if x := Course(e.Name); x != nil {
		o.Heading(1, x.Title)
		o.Para(x.Question)
		caution := outline.FieldOf("Caution:", x.Caution)
		caution.Tone = outline.ToneMind
		o.Add(outline.Fields{List: []outline.Field{outline.FieldOf("Course statement:", x.Told),
			outline.FieldOf("Expected:", x.Expect), caution}})
	}
	o.Heading(2, "The experiment")
	o.Add(compared(d))
	if len(d.Differences) > 0 {
		const head = "Differences between A and B"
		o.Heading(2, head)
		rows := [][]string{{"", "A", "B"}}
		for _, x := range d.Differences {
			rows = append(rows, []string{strings.TrimPrefix(x.Address, "pg:"), ValueOr(x.A, x.Default),
				ValueOr(x.B, x.Default)})
		}
		o.Add(outline.TableOf(head, rows, 1))
	}
	leftOut(&o, "A", &e.A)
	if !single && e.Name != AA {
		leftOut(&o, "B", &e.B)
	}
	o.Heading(2, "Design")
	o.Para(DesignWords(e))
	o.Toned(outline.ToneNote, d.Why)
	o.Para("Blocks disturbed by CPU steal, other programs, failed transactions or checkpoints are discarded and " +
		"repeated. The rules are fixed now and do not depend on the configuration; discarded blocks are counted.")
	for _, n := range e.Notes {
		if x := Course(e.Name); x == nil || n != x.Caution { // that stands above
			o.Toned(outline.ToneMind, n)
		}
	}
	costs(&o, d)
	return o
}

// compared is what the experiment measures: the configurations, the load, and the question.
func compared(d document.Design) outline.Fields {
	e := d.Experiment
	var f outline.Fields
	add := func(name, text string) { f.List = append(f.List, outline.FieldOf(name, text)) }
	switch {
	case e.Design == experiment.DesignSingle:
		add("conf", e.A.Name)
	case e.Name == AA:
		add("A, B", e.A.Name+" (compared with itself)")
	default:
		add("A", e.A.Name)
		add("B", e.B.Name)
	}
	scale := fmt.Sprintf(" at scale %d", e.Scale)
	if e.Copied {
		scale = ""
	}
	add("load", fmt.Sprintf("%s (%s)%s, %s, on %s", e.Workload, d.Title, scale,
		typeset.Count(e.Spec.Clients, "client", "clients"), e.Server))
	metric, _ := experiment.FindMetric(e.Metric)
	add("metric", metric.Title+", fixed now; all other metrics are exploratory")
	return f
}

// leftOut names what a configuration does without.
func leftOut(o *outline.Outline, name string, a *experiment.Configuration) {
	if len(a.Omitted)+len(a.Notes) == 0 {
		return
	}
	o.Heading(2, outline.Bold("Omitted from "+name), outline.Faint(": not possible on a scratch instance"))
	for _, l := range a.Omitted {
		o.Para(l.Name + " = " + l.Value + ": " + l.Why)
	}
	for _, n := range a.Notes {
		o.Para(n)
	}
}

// costs is the time, the disk, and the memory that the experiment needs.
func costs(o *outline.Outline, d document.Design) {
	e, est := d.Experiment, &d.Estimation
	o.Heading(2, "Resources")
	runs := ""
	if est.Open {
		runs = " without the runs"
	}
	o.Para(fmt.Sprintf("about %s%s, %s of disk in %s%s", experiment.Span(est.Time), runs, est.Disk, e.Scratch,
		FreeWords(est.Free)))
	if est.Memory > 0 {
		o.Para(fmt.Sprintf("%s of memory of the %s here", est.Memory, unit.Bytes(e.Host.Memory)))
	}
	switch {
	case est.Fits:
		o.Para(fmt.Sprintf("the data (%s) of an earlier experiment is reused", est.Held))
	case est.Held > 0:
		o.Toned(outline.ToneMind, fmt.Sprintf(
			"data of an earlier experiment (%s) does not match and will be removed", est.Held))
	}
	parts := outline.Rows{Right: true}
	for _, part := range est.Parts {
		if part.Time > 0 {
			parts.List = append(parts.List, outline.RowOf(outline.Faint(experiment.Span(part.Time)),
				outline.Faint(part.What)))
		}
	}
	if est.Open {
		parts.List = append(parts.List, outline.RowOf(outline.Faint("?"),
			outline.Faint("measurement: its duration is known after the first block")))
	}
	if len(parts.List) > 0 {
		o.Add(parts)
	}
	o.Para("Results are written to " + e.Dir +
		". Ctrl-C stops cleanly and keeps the results; --resume continues.")
}
