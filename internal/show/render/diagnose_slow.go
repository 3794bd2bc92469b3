package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
)

// SlowJSON writes the comparison of two plans as JSON. No array is null.
func SlowJSON(w io.Writer, d *diagnose.Slow) error { return writeJSON(w, d) }

// SlowText writes the comparison of two plans for people: the verdict, the
// reasons with what to look at next, where the time went, and what was not measured.
func SlowText(w io.Writer, d *diagnose.Slow, st Style) error {
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
		p.line(p.tint(strong, "── The plans: - "+clean(d.Fast.Name)+"  + "+clean(d.Slow.Name)))
		p.gap()
		for _, l := range d.Diff {
			t := map[byte]tone{'-': green, '+': red}[l[0]]
			p.line("  ", p.tint(t, clean(l)))
		}
	}
	p.slowList("Ruled out", d.RuledOut)
	p.slowList("Not measured", d.Missing)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// slowVerdicts writes each reason with its evidence and its next steps.
func (p *page) slowVerdicts(list []diagnose.SlowVerdict) {
	for i, v := range list {
		p.gap()
		p.para(fmt.Sprintf("%d. ", i+1), strong, slowTitle(&v))
		for _, e := range v.Evidence {
			p.para("   ", plain, e)
		}
		for _, n := range v.Next {
			p.para("   → ", cyan, n)
		}
	}
}

// slowTitle is a reason with how sure it is, and how much it explains.
func slowTitle(v *diagnose.SlowVerdict) string {
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

// slowNodes writes the tree with the own time of each node in both runs.
func (p *page) slowNodes(d *diagnose.Slow) {
	rows := slowRows(d)
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], runes(c))
		}
	}
	for i, r := range rows {
		var b strings.Builder
		for c, text := range r {
			b.WriteString("  " + padLeft(text, width[c]))
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
			name = strings.Repeat("  ", min(d.Nodes[i-1].Depth, 20)) + clean(d.Nodes[i-1].Head)
		}
		if runes(b.String())+2+runes(name) <= p.st.Width || i == 0 {
			p.line(p.tint(t, b.String()+"  "+name))
			continue
		}
		p.line("  ", p.tint(t, name))
		p.line(p.tint(t, b.String()))
	}
	p.gap()
	p.para("  ", faint, slowNote)
}

const slowNote = "Milliseconds. each: one loop with its children; own: all loops without the children; share: of the time that the slow run took more."

// slowRows are the figures of each node, with their head.
func slowRows(d *diagnose.Slow) [][]string {
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
		rows = append(rows, []string{fmt.Sprintf("%.0f", n.Loops), cell(n.FastLoop), cell(n.SlowLoop), cell(n.FastOwn), cell(n.SlowOwn), factor, fmt.Sprintf("%.0f %%", n.Share)})
	}
	return rows
}
