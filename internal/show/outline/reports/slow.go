package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Slow is the comparison of two plans, before any form.
func Slow(d *slow.Report) outline.Outline {
	var o outline.Outline
	o.Command("pgfettle diagnose slow")
	o.Para(outline.Bold(d.Verdict))
	o.Para("slow: ", outline.Code(d.Slow.Name), slowTotal(&d.Slow), "; fast: ", outline.Code(d.Fast.Name),
		slowTotal(&d.Fast))
	slowVerdicts(&o, d.Verdicts)
	if slices.ContainsFunc(d.Nodes, func(n slow.Node) bool { return n.SlowOwn != nil }) {
		o.Part("Where the time went")
		rows := SlowRows(d)
		t := outline.Table{Caption: "Where the time went, node by node", Head: append([]string{"node"}, rows[0]...),
			Numbers: 1, Long: true}
		tones := map[int]outline.Tone{}
		const most = 50 // percent of the difference: this node is the reason
		for i, r := range rows[1:] {
			n := &d.Nodes[i]
			// Markdown and HTML both drop spaces at the left: dots keep the tree.
			name := strings.Repeat("· ", min(n.Depth, 20)) + typeset.Flat(n.Head)
			if n.Share >= most {
				tones[i] = outline.ToneMind
			}
			t.Rows = append(t.Rows, append([]outline.Prose{outline.Join(name)}, outline.Cells(r...)...))
		}
		t.Tones = tones
		o.Add(t)
		o.Toned(outline.ToneNote, SlowNote)
	}
	if !d.SamePlan && len(d.Diff) > 0 {
		o.Part("The plans: - ", outline.Code(d.Fast.Name), " + ", outline.Code(d.Slow.Name))
		o.Add(outline.Listing{Lines: d.Diff, Diff: true})
	}
	slowList(&o, "Ruled out", d.RuledOut)
	slowList(&o, "Not measured", d.Missing)
	return o
}

// steps lists what to do next.
func steps(o *outline.Outline, lead string, list []string) {
	if len(list) > 0 {
		o.Add(outline.List{Items: outline.Items(list), Kind: outline.Steps, Lead: lead})
	}
}

// slowTotal is how long a run took, with a comma before it.
func slowTotal(p *slow.Plan) string {
	if p.Total == nil {
		return ""
	}
	return ", " + slowMS(*p.Total)
}

func slowVerdicts(o *outline.Outline, list []slow.Verdict) {
	for i := range list {
		v := &list[i]
		o.Heading(2, fmt.Sprintf("%d. ", i+1), typeset.Flat(SlowTitle(v)))
		o.Kind(outline.Evidence, outline.Items(v.Evidence))
		steps(o, "What to look at next", v.Next)
	}
}

// SlowTitle is a reason with how sure it is, and how much it explains.
func SlowTitle(v *slow.Verdict) string {
	switch {
	case v.Explains != nil && v.Certainty == "sure":
		return v.Title + fmt.Sprintf(" (%s of the difference)", slowMS(*v.Explains))
	case v.Explains != nil:
		return v.Title + fmt.Sprintf(" (%s, up to %s of the difference)", v.Certainty, slowMS(*v.Explains))
	case v.Certainty != "sure":
		return v.Title + " (" + v.Certainty + ")"
	}
	return v.Title
}

func slowList(o *outline.Outline, title string, list []string) {
	if len(list) > 0 {
		o.Part(title)
		o.Kind(outline.Lines, outline.Items(list))
	}
}

// slowMS spells milliseconds.
func slowMS(v float64) string {
	switch {
	case v >= 10_000:
		return fmt.Sprintf("%.1f s", v/1000)
	case v >= 100:
		return fmt.Sprintf("%.0f ms", v)
	}
	return fmt.Sprintf("%.3f ms", v)
}

const SlowNote = "Milliseconds. each: one loop with its children; own: all loops without the children; share: of " +
	"the time that the slow run took more."

// SlowRows are the figures of each node, with their head.
func SlowRows(d *slow.Report) [][]string {
	rows := [][]string{{"loops", "fast, each", "slow, each", "fast, own", "slow, own", "factor", "share"}}
	for _, n := range d.Nodes {
		cell := func(v *float64) string {
			if v == nil {
				return "~"
			}
			return fmt.Sprintf("%.3f", *v)
		}
		factor := "~"
		if n.Factor != nil {
			factor = fmt.Sprintf("%.1f×", *n.Factor)
			if n.AtLeast {
				factor = "~" + factor
			}
		}
		rows = append(rows, []string{fmt.Sprintf("%.0f", n.Loops), cell(n.FastLoop), cell(n.SlowLoop), cell(n.FastOwn),
			cell(n.SlowOwn), factor, fmt.Sprintf("%.0f %%", n.Share)})
	}
	return rows
}
