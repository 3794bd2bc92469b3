package reports

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// SlowPlan is what one plan says, before any form.
func SlowPlan(d *slow.Reading, c *say.Catalogue) outline.Outline {
	d = d.In(c)
	p := slowWords{outline.WordsIn(c)}
	var o outline.Outline
	o.Command("pgfettle diagnose slow")
	o.Para(outline.Bold(p.flat(d.Verdict)))
	if q := d.Plan.Query; q != "" {
		o.Add(outline.Listing{Lines: strings.Split(typeset.Flat(q), "\n")})
	}
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		o.Heading(2, fmt.Sprintf("%d. ", i+1), p.flat(planTitle(v)))
		p.verdict(&o, v)
	}
	p.list(&o, p.Say("Contradictions in the numbers"), d.Inconsistent)
	title := p.Say("Time by node")
	o.Part(title)
	rows := p.nodeRows(d)
	t := outline.Table{Caption: title, Head: append([]string{p.Say("node")}, rows[0]...), Numbers: 1, Long: true}
	t.Tones = map[int]outline.Tone{}
	for i, r := range rows[1:] {
		n := &d.Nodes[i]
		name := strings.Repeat("· ", min(n.Depth, 20))
		if n.Subplan != "" {
			name += typeset.Flat(n.Subplan) + ": "
		}
		name += p.node(n.Head)
		const most = 50 // percent of the time: this node is the reason
		if n.Share != nil && *n.Share >= most {
			t.Tones[i] = outline.ToneMind
		}
		t.Rows = append(t.Rows, append([]outline.Prose{outline.Join(name)}, outline.Cells(r...)...))
	}
	o.Add(t)
	o.Toned(outline.ToneNote, p.Say("Milliseconds. each: per loop, with children. own: all loops, without children. "+
		"share: of the time of the plan. ~: not measured, or unknown."))
	whole := p.Say("Whole plan")
	if d.Plan.Fragment {
		whole = p.Say("Part of the plan in the input")
	}
	p.list(&o, whole, planLines(d))
	if len(d.Plans) > 1 {
		var lines []say.Message
		for i := range d.Plans {
			run := &d.Plans[i]
			lines = append(lines, say.Text(p.planName(run.Name)+p.total(run)+queryStart(run.Query)))
		}
		p.list(&o, p.Say("Plans in the input"), lines)
	}
	p.list(&o, p.Say("Not measured, or not in the input"), d.Missing)
	return o
}

// planLines are the figures of the whole plan.
func planLines(d *slow.Reading) (out []say.Message) {
	p := &d.Plan
	if p.Hit != nil {
		out = append(out, say.M("blocks: {hit} hit, {read} read, {dirtied} dirtied, {written} written; temporary "+
			"files: {temp}", "hit", *p.Hit, "read", *p.Read, "dirtied", *p.Dirtied, "written", *p.Written, "temp",
			*p.Temp))
	}
	if p.IORead != nil {
		out = append(out, say.M("time of reads: {time}", "time", slowMS(*p.IORead)))
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if w := n.WAL; w != nil && i == 0 {
			out = append(out, say.M("WAL bytes: {bytes}, records: {records}, full-page images: {images}", "bytes",
				w.Bytes, "records", w.Records, "images", w.FPI))
		}
		if n.Planned != nil && n.Launched != nil {
			out = append(out, say.M("{node}: workers planned: {planned}, launched: {launched}", "node", n.Head,
				"planned", *n.Planned, "launched", *n.Launched))
		}
	}
	if j := p.JIT; j != nil {
		out = append(out, say.N(j.Functions, "JIT: {n} function in {time}, the sum of all processes",
			"JIT: {n} functions in {time}, the sum of all processes", "time", slowMS(j.Total)))
	}
	for _, t := range p.Triggers {
		if t.Time != nil {
			out = append(out, say.M("trigger {name}: {time}, calls: {calls}", "name", t.Name, "time", slowMS(*t.Time),
				"calls", say.Number(fmt.Sprintf("%.0f", t.Calls))))
		}
	}
	if len(p.Indexes) > 0 {
		const most = 20
		out = append(out, say.M("indexes: {names}", "names", say.Names(p.Indexes, most)))
	}
	for _, s := range p.Settings {
		out = append(out, say.M("setting: {setting}", "setting", s.Name+" = "+s.Text))
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
func planTitle(v *slow.Verdict) say.Message {
	switch sure := certainties[v.Certainty]; {
	case v.Explains != nil && sure.IsZero():
		return say.M("{title} ({time})", "title", v.Title, "time", slowMS(*v.Explains))
	case v.Explains != nil:
		return say.M("{title} ({likely}, up to {time})", "title", v.Title, "likely", sure, "time", slowMS(*v.Explains))
	case !sure.IsZero():
		return say.M("{title} ({likely})", "title", v.Title, "likely", sure)
	}
	return v.Title
}

// nodeRows are the figures of each node, with their head.
func (p slowWords) nodeRows(d *slow.Reading) [][]string {
	head := []string{p.Say("estimated"), p.Say("rows"), p.Say("loops"), p.Say("removed"), p.Say("each"), p.Say("own"),
		p.Say("share")}
	blocks := d.Plan.Hit != nil
	if blocks {
		head = append(head, p.Say("hit"), p.Say("read"))
	}
	rows := [][]string{head}
	whole := func(n int64) string { return p.Value(say.Number(fmt.Sprint(n))) }
	for i := range d.Nodes {
		n := &d.Nodes[i]
		removed := ""
		if n.Removed+n.Rechecked > 0 {
			removed = whole(n.Removed + n.Rechecked)
		}
		loops := p.cell(n.Loops, "%.0f")
		if n.Never {
			loops = p.Say("never")
		}
		row := []string{p.cell(n.Estimated, "%.0f"), p.cell(n.Rows, "%.0f"), loops, removed,
			p.cell(n.PerLoop, "%.3f"), p.cell(n.Own, "%.3f"), p.cell(n.Share, "%.1f%%")}
		if b := n.Buffers; blocks && b != nil {
			row = append(row, whole(b.Hit+b.LocalHit), whole(b.Read+b.LocalRead))
		} else if blocks {
			row = append(row, "~", "~")
		}
		rows = append(rows, row)
	}
	return rows
}

// node is a node by the line that names it.
func (p slowWords) node(head string) string {
	if head == string(slow.MissingHead) {
		return p.Say(slow.MissingHead)
	}
	return typeset.Flat(head)
}

// planName is a file, perhaps with the number of a plan in it.
func (p slowWords) planName(name string) string { return gapwords.In(p.Catalog(), name) }
