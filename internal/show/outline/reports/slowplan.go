package reports

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// SlowPlan is what one plan tells, before any form.
func SlowPlan(d *slow.Reading) outline.Outline {
	var o outline.Outline
	o.Command("pgfettle diagnose slow")
	o.Para(outline.Bold(d.Verdict))
	if q := d.Plan.Query; q != "" {
		o.Add(outline.Listing{Lines: strings.Split(typeset.Flat(q), "\n")})
	}
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		o.Heading(2, fmt.Sprintf("%d. ", i+1), typeset.Flat(planTitle(v)))
		o.Kind(outline.Evidence, outline.Items(v.Evidence))
		steps(&o, "What to look at next", v.Next)
	}
	slowList(&o, "What cannot be true of one execution", d.Inconsistent)
	o.Part("Node by node")
	rows := SlowPlanRows(d)
	t := outline.Table{Caption: "Where the time went, node by node", Head: append([]string{"node"}, rows[0]...),
		Numbers: 1, Long: true}
	t.Tones = map[int]outline.Tone{}
	for i, r := range rows[1:] {
		n := &d.Nodes[i]
		name := strings.Repeat("· ", min(n.Depth, 20))
		if n.Subplan != "" {
			name += typeset.Flat(n.Subplan) + ": "
		}
		name += typeset.Flat(n.Head)
		const most = 50 // percent of the time: this node is the reason
		if n.Share != nil && *n.Share >= most {
			t.Tones[i] = outline.ToneMind
		}
		t.Rows = append(t.Rows, append([]outline.Prose{outline.Join(name)}, outline.Cells(r...)...))
	}
	o.Add(t)
	o.Toned(outline.ToneNote, SlowPlanNote)
	slowList(&o, "Of the whole plan", planLines(d))
	if len(d.Plans) > 1 {
		var lines []string
		for i := range d.Plans {
			p := &d.Plans[i]
			lines = append(lines, p.Name+slowTotal(p)+queryStart(p.Query))
		}
		slowList(&o, "Plans in the input", lines)
	}
	slowList(&o, "Not measured or not in the input", d.Missing)
	return o
}

// planLines are the figures of the whole plan.
func planLines(d *slow.Reading) []string {
	var out []string
	p := &d.Plan
	if p.Hit != nil {
		out = append(out,
			fmt.Sprintf("blocks: %d found in shared buffers, %d read, %d dirtied, %d written; %d of temporary "+
				"files", *p.Hit, *p.Read, *p.Dirtied, *p.Written, *p.Temp))
	}
	if p.IORead != nil {
		out = append(out, "reads took "+slowMS(*p.IORead))
	}
	for i := range d.Nodes {
		if w := d.Nodes[i].WAL; w != nil && i == 0 {
			out = append(out, fmt.Sprintf("WAL: %d records, %d full page images, %d bytes", w.Records, w.FPI, w.Bytes))
		}
		if n := &d.Nodes[i]; n.Planned != nil && n.Launched != nil {
			out = append(out, fmt.Sprintf("%s: %d workers planned, %d launched", n.Head, *n.Planned, *n.Launched))
		}
	}
	if j := p.JIT; j != nil {
		out = append(out, fmt.Sprintf("JIT: %d functions in %s, of all processes together", j.Functions,
			slowMS(j.Total)))
	}
	for _, t := range p.Triggers {
		if t.Time != nil {
			out = append(out, fmt.Sprintf("trigger %s: %.0f calls, %s", t.Name, t.Calls, slowMS(*t.Time)))
		}
	}
	if len(p.Indexes) > 0 {
		const most = 20
		out = append(out, "indexes: "+strings.Join(p.Indexes[:min(len(p.Indexes), most)], ", "))
	}
	for _, s := range p.Settings {
		out = append(out, "setting "+s.Name+" = "+s.Text)
	}
	return out
}

// queryStart is the beginning of a query, with a colon before it.
func queryStart(q string) string {
	const most = 60
	q = strings.Join(strings.Fields(q), " ")
	if q == "" {
		return ""
	}
	if len(q) > most {
		q = strings.ToValidUTF8(q[:most], "") + "…"
	}
	return ": " + q
}

// planTitle is a finding with how sure it is, and how much of the time it has.
func planTitle(v *slow.Verdict) string {
	switch {
	case v.Explains != nil && v.Certainty == "sure":
		return v.Title + fmt.Sprintf(" (%s)", slowMS(*v.Explains))
	case v.Explains != nil:
		return v.Title + fmt.Sprintf(" (%s, up to %s)", v.Certainty, slowMS(*v.Explains))
	case v.Certainty != "sure":
		return v.Title + " (" + v.Certainty + ")"
	}
	return v.Title
}

// SlowPlanNote says what the columns are.
const SlowPlanNote = "Milliseconds. each: one loop with its children; own: all loops without the children; share: " +
	"of the " +
	"plan's time; ~ was not measured or cannot be told."

// SlowPlanRows are the figures of each node, with their head.
func SlowPlanRows(d *slow.Reading) [][]string {
	head := []string{"estimated", "rows", "loops", "removed", "each", "own", "share"}
	blocks := d.Plan.Hit != nil
	if blocks {
		head = append(head, "hit", "read")
	}
	rows := [][]string{head}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		cell := func(v *float64, form string) string {
			if v == nil {
				return "~"
			}
			return fmt.Sprintf(form, *v)
		}
		removed := ""
		if n.Removed+n.Rechecked > 0 {
			removed = fmt.Sprint(n.Removed + n.Rechecked)
		}
		loops := cell(n.Loops, "%.0f")
		if n.Never {
			loops = "never"
		}
		row := []string{cell(n.Estimated, "%.0f"), cell(n.Rows, "%.0f"), loops, removed,
			cell(n.PerLoop, "%.3f"), cell(n.Own, "%.3f"), cell(n.Share, "%.1f %%")}
		if b := n.Buffers; blocks && b != nil {
			row = append(row, fmt.Sprint(b.Hit+b.LocalHit), fmt.Sprint(b.Read+b.LocalRead))
		} else if blocks {
			row = append(row, "~", "~")
		}
		rows = append(rows, row)
	}
	return rows
}
