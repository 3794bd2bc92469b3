package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Slow is the comparison of two plans, before any form.
func Slow(d *slow.Report, c *say.Catalogue) outline.Outline {
	d = d.In(c)
	p := slowWords{outline.WordsIn(c)}
	var o outline.Outline
	o.Command("pgfettle diagnose slow")
	o.Para(outline.Bold(p.flat(d.Verdict)))
	o.Para(p.Say("slow run"), p.Colon(), outline.Code(p.planName(d.Slow.Name)), p.total(&d.Slow))
	o.Para(p.Say("fast run"), p.Colon(), outline.Code(p.planName(d.Fast.Name)), p.total(&d.Fast))
	p.verdicts(&o, d.Verdicts)
	if slices.ContainsFunc(d.Nodes, func(n slow.Node) bool { return n.SlowOwn != nil }) {
		title := p.Say("Time by node")
		o.Part(title)
		rows := p.pairRows(d)
		t := outline.Table{Caption: title, Head: append([]string{p.Say("node")}, rows[0]...), Numbers: 1, Long: true}
		tones := map[int]outline.Tone{}
		const most = 50 // percent of the difference: this node is the reason
		for i, r := range rows[1:] {
			n := &d.Nodes[i]
			// Markdown and HTML both drop spaces at the left: dots keep the tree.
			name := strings.Repeat("· ", min(n.Depth, 20)) + p.node(n.Head)
			if n.Share >= most {
				tones[i] = outline.ToneMind
			}
			t.Rows = append(t.Rows, append([]outline.Prose{outline.Join(name)}, outline.Cells(r...)...))
		}
		t.Tones = tones
		o.Add(t)
		o.Toned(outline.ToneNote, p.Say("Milliseconds. each: per loop, with children. own: all loops, without "+
			"children. share: of the additional time of the slow run."))
	}
	if !d.SamePlan && len(d.Diff) > 0 {
		o.Part(p.Say("The plans"), p.Colon(), "- ", outline.Code(p.planName(d.Fast.Name)), " + ",
			outline.Code(p.planName(d.Slow.Name)))
		o.Add(outline.Listing{Lines: d.Diff, Diff: true})
	}
	p.list(&o, p.Say("Ruled out"), d.RuledOut)
	p.list(&o, p.Say("Not measured"), d.Missing)
	return o
}

// slowWords are the words of the reports of diagnose slow.
type slowWords struct{ outline.Words }

// flat is a message on one line.
func (p slowWords) flat(m say.Message) string { return typeset.Flat(p.Word(m)) }

func (p slowWords) flats(list []say.Message) []outline.Item {
	var out []outline.Item
	for _, m := range list {
		out = append(out, outline.Item{Text: outline.Join(p.flat(m))})
	}
	return out
}

func (p slowWords) tenths(percent float64) string {
	return p.Value(say.Number(fmt.Sprintf("%.1f%%", percent)))
}

// total is how long a run took, with a comma before it.
func (p slowWords) total(run *slow.Plan) string {
	if run.Total == nil {
		return ""
	}
	if run.Planning == nil || run.Execution == nil {
		return ", " + p.Value(slowMS(*run.Total))
	}
	return ", " + p.flat(say.M("{total} (planning {planning}, execution {execution})", "total", slowMS(*run.Total),
		"planning", slowMS(*run.Planning), "execution", slowMS(*run.Execution)))
}

func (p slowWords) verdicts(o *outline.Outline, list []slow.Verdict) {
	for i := range list {
		v := &list[i]
		o.Heading(2, fmt.Sprintf("%d. ", i+1), p.flat(differenceTitle(v)))
		p.verdict(o, v)
	}
}

// verdict is what a reason depends on, and what to do next.
func (p slowWords) verdict(o *outline.Outline, v *slow.Verdict) {
	o.Kind(outline.Evidence, p.flats(v.Evidence))
	if len(v.Next) > 0 {
		o.Add(outline.List{Items: p.flats(v.Next), Kind: outline.Steps, Lead: p.Say("What to do next")})
	}
}

// certainties are the words for how sure a reason is.
var certainties = map[string]say.Message{slow.Likely: say.M("likely"), slow.Possible: say.M("possible")}

// differenceTitle is a reason with how sure it is, and how much of the difference it explains.
func differenceTitle(v *slow.Verdict) say.Message {
	switch sure := certainties[v.Certainty]; {
	case v.Explains != nil && sure.IsZero():
		return say.M("{title} ({time} of the difference)", "title", v.Title, "time", slowMS(*v.Explains))
	case v.Explains != nil:
		return say.M("{title} ({likely}, up to {time} of the difference)", "title", v.Title, "likely", sure, "time",
			slowMS(*v.Explains))
	case !sure.IsZero():
		return say.M("{title} ({likely})", "title", v.Title, "likely", sure)
	}
	return v.Title
}

// list is a part of short lines.
func (p slowWords) list(o *outline.Outline, title string, list []say.Message) {
	if len(list) > 0 {
		o.Part(title)
		o.Kind(outline.Lines, p.flats(list))
	}
}

// slowMS spells milliseconds.
func slowMS(v float64) say.Number {
	switch {
	case v >= 10_000:
		return say.Number(fmt.Sprintf("%.1f s", v/1000))
	case v >= 100:
		return say.Number(fmt.Sprintf("%.0f ms", v))
	}
	return say.Number(fmt.Sprintf("%.3f ms", v))
}

// cell is a figure of a table; ~ if there is none.
func (p slowWords) cell(v *float64, form string) string {
	if v == nil {
		return "~"
	}
	return p.Value(say.Number(fmt.Sprintf(form, *v)))
}

// pairRows are the figures of each node in both runs, with their head.
func (p slowWords) pairRows(d *slow.Report) [][]string {
	rows := [][]string{{p.Say("loops"), p.Say("fast, each"), p.Say("slow, each"), p.Say("fast, own"),
		p.Say("slow, own"),
		p.Say("factor"), p.Say("share")}}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		factor := p.cell(n.Factor, "%.1f")
		if n.Factor != nil {
			factor += "×"
			if n.AtLeast {
				factor = "~" + factor
			}
		}
		rows = append(rows, []string{p.cell(&n.Loops, "%.0f"), p.cell(n.FastLoop, "%.3f"), p.cell(n.SlowLoop, "%.3f"),
			p.cell(n.FastOwn, "%.3f"), p.cell(n.SlowOwn, "%.3f"), factor, p.cell(&n.Share, "%.0f%%")})
	}
	return rows
}
