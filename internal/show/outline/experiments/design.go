package experiments

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// Design is an experiment before it begins: what is compared, how, what it takes, and what is omitted, for who decides
// whether to begin.
func Design(d document.Design, c *say.Catalogue) outline.Outline {
	var o outline.Outline
	p, e := outline.WordsIn(c), d.Experiment
	single := e.Design == experiment.DesignSingle
	x := Course(e.Name)
	if x != nil {
		o.Heading(1, p.Word(x.Title))
		o.Para(p.Word(x.Question))
		o.Add(courseFields(x, p))
	}
	o.Heading(2, p.Say("The experiment"))
	o.Add(compared(d, p))
	if len(d.Differences) > 0 {
		head := p.Say("Differences between A and B")
		o.Heading(2, head)
		rows := [][]string{{"", "A", "B"}}
		for _, x := range d.Differences {
			rows = append(rows, []string{strings.TrimPrefix(x.Address, "pg:"), valueOr(x.A, x.Default, p),
				valueOr(x.B, x.Default, p)})
		}
		o.Add(outline.TableOf(head, rows, 1))
	}
	leftOut(&o, "A", &e.A, p)
	if !single && e.Name != AA {
		leftOut(&o, "B", &e.B, p)
	}
	o.Heading(2, p.Say("Design"))
	o.Para(designWords(e, p))
	o.Toned(outline.ToneNote, p.Word(d.Why))
	if e.Spec.Sequential {
		o.Para(p.Say("The result is evaluated after {looks} blocks, at {confidence} each time so that all looks "+
			"together "+
			"err no more often than one at 95%, and the experiment ends at the first verdict.", "looks", looks(),
			"confidence", stat.Verdict{Level: e.Spec.Level()}.Confidence()))
	}
	if single {
		o.Para(p.Say("Other load on this host is measured and shown. A run in which transactions failed does not " +
			"count."))
	} else {
		o.Para(p.Say("Other load on this host widens the interval. A block is discarded and repeated if its two runs " +
			"were disturbed much more differently than those of the other blocks, if transactions failed, or if its " +
			"runs had different numbers of checkpoints. The rules are fixed now and do not depend on the " +
			"configuration."))
	}
	for _, n := range e.Notes {
		if x == nil || !n.Equal(x.Caution) { // that stands above
			o.Toned(outline.ToneMind, p.Word(n))
		}
	}
	costs(&o, d, p)
	return o
}

// compared is what the experiment measures: the configurations, the load, and the question.
func compared(d document.Design, p outline.Words) outline.Fields {
	e := d.Experiment
	var f outline.Fields
	add := func(name, text string) { f.List = append(f.List, outline.FieldOf(name, text)) }
	switch {
	case e.Design == experiment.DesignSingle:
		add("conf", e.A.Name)
	case e.Name == AA:
		add("A, B", p.Say("{name} (compared with itself)", "name", e.A.Name))
	case e.ServerB != "":
		add("A", p.Say("{name} on {server}", "name", e.A.Name, "server", e.Server))
		add("B", p.Say("{name} on {server}", "name", e.B.Name, "server", e.ServerB))
	default:
		add("A", e.A.Name)
		add("B", e.B.Name)
	}
	load := []any{"name", e.Workload, "title", d.Title, "scale", strconv.Itoa(e.Scale),
		"clients", say.N(e.Spec.Clients, "{n} client", "{n} clients"), "server", e.Server}
	switch {
	case e.Copied:
		add(p.Say("load"), p.Say("{name} ({title}), {clients}, on {server}", load...))
	case e.ServerB != "":
		add(p.Say("load"), p.Say("{name} ({title}) at scale {scale}, {clients}", load...))
	default:
		add(p.Say("load"), p.Say("{name} ({title}) at scale {scale}, {clients}, on {server}", load...))
	}
	metric, _ := experiment.FindMetric(e.Metric)
	add(p.Say("metric"), p.Say("{metric}, fixed now; all other metrics are exploratory", "metric", metric.Title))
	return f
}

// leftOut names what a configuration does without.
func leftOut(o *outline.Outline, name string, a *experiment.Configuration, p outline.Words) {
	if len(a.Omitted)+len(a.Notes) == 0 {
		return
	}
	o.Heading(2, outline.Bold(p.Say("Omitted from {name}", "name", name)),
		outline.Faint(p.Colon()+p.Say("not possible on a scratch instance")))
	for _, l := range a.Omitted {
		o.Para(l.Name + " = " + l.Value + p.Colon() + p.Word(l.Why))
	}
	for _, n := range a.Notes {
		o.Para(p.Word(n))
	}
}

// partWords name the parts of the time that an experiment takes.
var partWords = map[string]say.Message{
	"load":               loading,
	"copies":             say.M("copies"),
	"warm-up":            say.M("warm-up"),
	"measuring":          say.M("measuring"),
	"measuring, at most": say.M("measuring, at most"),
	"counting":           say.M("counting"),
	"rest":               say.M("rest"),
}

// costs is the time, the disk, and the memory that the experiment needs.
func costs(o *outline.Outline, d document.Design, p outline.Words) {
	e, est := d.Experiment, &d.Estimation
	o.Heading(2, p.Say("Resources"))
	takes := []any{"time", experiment.Span(est.Time), "disk", est.Disk, "dir", e.Scratch, "free", est.Free,
		"databases", say.Names(e.Fills, 0)}
	switch known := est.Free > 0; {
	case len(e.Fills) > 0:
		o.Para(p.Say("about {time}, {disk} of disk for the data that are loaded into {databases} and stay there",
			takes...))
	case e.Database != "":
		o.Para(p.Say("about {time}; nothing is loaded", takes...))
	case est.Open && known:
		o.Para(p.Say("about {time} without the runs, {disk} of disk in {dir} ({free} free)", takes...))
	case est.Open:
		o.Para(p.Say("about {time} without the runs, {disk} of disk in {dir}", takes...))
	case known:
		o.Para(p.Say("about {time}, {disk} of disk in {dir} ({free} free)", takes...))
	default:
		o.Para(p.Say("about {time}, {disk} of disk in {dir}", takes...))
	}
	if est.Memory > 0 {
		o.Para(p.Say("{memory} of memory of the {all} here", "memory", est.Memory, "all", unit.Bytes(e.Host.Memory)))
	}
	switch {
	case est.Fits:
		o.Para(p.Say("the data ({size}) of an earlier experiment is reused", "size", est.Held))
	case est.Held > 0:
		o.Toned(outline.ToneMind, p.Say("data of an earlier experiment ({size}) does not match and will be removed",
			"size", est.Held))
	}
	parts := outline.Rows{Right: true}
	for _, part := range est.Parts {
		if part.Time > 0 {
			parts.List = append(parts.List, outline.RowOf(outline.Faint(p.Value(experiment.Span(part.Time))),
				outline.Faint(p.Word(partWords[part.What]))))
		}
	}
	if est.Open {
		parts.List = append(parts.List, outline.RowOf(outline.Faint("?"),
			outline.Faint(p.Say("measurement: its duration is known after the first block"))))
	}
	if len(parts.List) > 0 {
		o.Add(parts)
	}
	o.Para(p.Say("Results are written to {dir}. Ctrl-C stops cleanly and keeps the results; --resume continues.",
		"dir", e.Dir))
}

// looks are the numbers of blocks after which an experiment may be evaluated while it runs.
func looks() string {
	var out []string
	for _, n := range stat.Looks {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}
