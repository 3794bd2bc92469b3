package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Design tells what is going to be done, what it takes, and what is
// left out, for who decides whether to begin.
func Design(w io.Writer, d document.Design, st Style) error {
	p := newPage(st)
	e := d.Experiment
	metric, _ := experiment.FindMetric(e.Metric)
	if x := experiments.Course(e.Name); x != nil {
		p.line(p.tint(strong, typeset.Clean(x.Title)))
		p.para("", plain, x.Question)
		p.gap()
		p.para("The course says: ", plain, x.Told)
		p.para("To be expected: ", plain, x.Expect)
		p.para("Caution: ", yellow, x.Caution)
		p.gap()
	}
	p.line(p.tint(strong, "The experiment"))
	switch {
	case e.Design == experiment.DesignSingle:
		p.para("  conf  ", plain, e.A.Name)
	case e.Name == experiments.AA:
		p.para("  A, B  ", plain, e.A.Name+" (compared with itself)")
	default:
		p.para("  A     ", plain, e.A.Name)
		p.para("  B     ", plain, e.B.Name)
	}
	scale := fmt.Sprintf(" at scale %d", e.Scale)
	if e.Copied {
		scale = ""
	}
	p.para("  load  ", plain, fmt.Sprintf("%s (%s)%s, %s, on %s", e.Workload, d.Title, scale,
		typeset.Count(e.Spec.Clients, "client", "clients"), e.Server))
	p.para("  asked ", plain, metric.Title+", declared now; everything else is exploratory")
	if len(d.Differences) > 0 {
		p.gap()
		p.line(p.tint(strong, "What B has otherwise"))
		rows := [][]string{{"", "A", "B"}}
		for _, x := range d.Differences {
			rows = append(rows, []string{strings.TrimPrefix(x.Address, "pg:"), experiments.ValueOr(x.A, x.Default),
				experiments.ValueOr(x.B, x.Default)})
		}
		p.memoryTable(rows)
	}
	p.leftOut("A", &e.A)
	if e.Design != experiment.DesignSingle && e.Name != experiments.AA {
		p.leftOut("B", &e.B)
	}
	p.gap()
	p.line(p.tint(strong, "How"))
	p.para("  ", plain, experiments.DesignWords(e))
	if d.Why != "" {
		p.para("  ", faint, d.Why)
	}
	p.para("  ", plain,
		"Blocks that steal, other programs, failed transactions or checkpoints disturb are discarded by gates "+
			"that are fixed now and do not see the configuration; they are repeated, and counted.")
	for _, n := range e.Notes {
		if x := experiments.Course(e.Name); x == nil || n != x.Caution { // that stands above
			p.para("  ", yellow, n)
		}
	}
	p.gap()
	p.line(p.tint(strong, "What it takes"))
	runs := ""
	if d.Estimation.Open {
		runs = " without the runs themselves"
	}
	p.para("  ", plain, fmt.Sprintf("about %s%s, %s of disk in %s%s", experiment.Span(d.Estimation.Time),
		runs, d.Estimation.Disk, typeset.Clean(e.Scratch), experiments.FreeWords(d.Estimation.Free)))
	if d.Estimation.Memory > 0 {
		p.para("  ", plain, fmt.Sprintf("%s of memory of the %s here", d.Estimation.Memory, unit.Bytes(e.Host.Memory)))
	}
	switch {
	case d.Estimation.Fits:
		p.para("  ", plain, fmt.Sprintf("the data (%s) are there from an experiment before, and are not loaded again",
			d.Estimation.Held))
	case d.Estimation.Held > 0:
		p.para("  ", yellow,
			fmt.Sprintf("the data that an experiment before left there (%s) are others, and are removed",
				d.Estimation.Held))
	}
	for _, part := range d.Estimation.Parts {
		if part.Time == 0 {
			continue
		}
		p.line("    ", p.tint(faint, typeset.PadLeft(experiment.Span(part.Time), 10)+"  "+typeset.Clean(part.What)))
	}
	if d.Estimation.Open {
		p.line("    ", p.tint(faint, typeset.PadLeft("?", 10)+
			"  measuring: how long so many transactions take is known after the first block"))
	}
	p.para("  ", plain, "The documents go to "+e.Dir+
		". Ctrl-C stops cleanly; what was measured is kept, and --resume goes on.")
	_, err := io.WriteString(w, p.b.String())
	return err
}

// leftOut names what a configuration does without.
func (p *page) leftOut(name string, a *experiment.Configuration) {
	if len(a.Omitted)+len(a.Notes) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, "Left out of "+name), p.tint(faint, ": what a scratch instance cannot hold"))
	for _, l := range a.Omitted {
		p.para("  ", plain, l.Name+" = "+l.Value+": "+l.Why)
	}
	for _, n := range a.Notes {
		p.para("  ", plain, n)
	}
}

// memoryTable writes rows under each other: the first column to the left, the
// others to the right. Columns that are empty in every row but the head are
// left out.
func (p *page) memoryTable(rows [][]string) {
	if len(rows) == 0 {
		return
	}
	width := make([]int, len(rows[0]))
	used := make([]bool, len(rows[0]))
	for r, row := range rows {
		for c, cell := range row {
			rows[r][c] = typeset.Clean(cell)
			width[c] = max(width[c], typeset.Width(rows[r][c]))
			used[c] = used[c] || c == 0 || r > 0 && cell != ""
		}
	}
	for r, row := range rows {
		parts := []string{"  ", typeset.Pad(row[0], width[0])}
		for c := 1; c < len(row); c++ {
			if used[c] {
				parts = append(parts, "  ", typeset.PadLeft(row[c], width[c]))
			}
		}
		if r == 0 {
			p.line(p.tint(faint, strings.TrimRight(strings.Join(parts, ""), " ")))
			continue
		}
		p.line(parts...)
	}
}
