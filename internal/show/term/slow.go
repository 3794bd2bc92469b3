package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Slow writes the comparison of two plans for people: the verdict, the
// reasons with what to look at next, where the time went, and what was not measured.
func Slow(w io.Writer, d *slow.Report, st Style) error {
	p := newPage(st)
	p.para("", strong, d.Verdict)
	p.slowVerdicts(d.Verdicts)
	if len(d.Nodes) > 0 && d.Nodes[0].SlowOwn != nil {
		p.gap()
		p.line(p.tint(strong, "── Where the time went"))
		p.gap()
		p.slowNodes(d)
	}
	if !d.SamePlan {
		p.gap()
		p.line(p.tint(strong, "── The plans: - "+typeset.Clean(d.Fast.Name)+"  + "+typeset.Clean(d.Slow.Name)))
		p.gap()
		for _, l := range d.Diff {
			t := map[byte]tone{'-': green, '+': red}[l[0]]
			p.line("  ", p.tint(t, typeset.Clean(l)))
		}
	}
	p.slowList("Ruled out", d.RuledOut)
	p.slowList("Not measured", d.Missing)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// slowVerdicts writes each reason with its evidence and its next steps.
func (p *page) slowVerdicts(list []slow.Verdict) {
	for i, v := range list {
		p.gap()
		p.para(fmt.Sprintf("%d. ", i+1), strong, reports.SlowTitle(&v))
		for _, e := range v.Evidence {
			p.para("   ", plain, e)
		}
		for _, n := range v.Next {
			p.para("   → ", cyan, n)
		}
	}
}

func (p *page) slowList(title string, list []string) {
	if len(list) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, "── "+title))
	p.gap()
	for _, l := range list {
		p.para("  ", plain, l)
	}
}

// slowNodes writes the tree with the own time of each node in both runs.
func (p *page) slowNodes(d *slow.Report) {
	rows := reports.SlowRows(d)
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], typeset.Width(c))
		}
	}
	for i, r := range rows {
		var b strings.Builder
		for c, text := range r {
			b.WriteString("  " + typeset.PadLeft(text, width[c]))
		}
		t := plain
		if i == 0 {
			t = faint
		} else if d.Nodes[i-1].Share >= 50 {
			t = yellow
		}
		// The name stands below the figures' line on a narrow terminal.
		name := ""
		if i > 0 {
			name = strings.Repeat("  ", min(d.Nodes[i-1].Depth, 20)) + typeset.Clean(d.Nodes[i-1].Head)
		}
		if typeset.Width(b.String())+2+typeset.Width(name) <= p.st.Width || i == 0 {
			p.line(p.tint(t, b.String()+"  "+name))
			continue
		}
		p.line("  ", p.tint(t, name))
		p.line(p.tint(t, b.String()))
	}
	p.gap()
	p.para("  ", faint, reports.SlowNote)
}
