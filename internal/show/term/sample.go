package term

import (
	"fmt"
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Sample writes what a watch told for people.
func Sample(w io.Writer, d *slow.Sample, st Style) error {
	p := newPage(st)
	p.para("", strong, d.Verdict)
	p.slowVerdicts(d.Verdicts)
	p.gap()
	p.line(p.tint(strong, "── "+reports.SampleHead(d)))
	p.gap()
	p.slowFigures(d)
	if len(d.Waits) > 0 {
		p.gap()
		p.line(p.tint(strong, "── What the processes of the server did, on average at once"))
		p.gap()
		for i, x := range d.Waits {
			if i == reports.SlowLines {
				break
			}
			p.line("  ", typeset.PadLeft(reports.AtOnce(d, &x), 6), "  ", typeset.Pad(typeset.Clean(reports.WaitName(&x)), 34), "  ", typeset.Clean(x.Backend))
		}
	}
	if len(d.Processes) > 0 {
		p.gap()
		p.line(p.tint(strong, "── Processors used, by process"))
		p.gap()
		for _, x := range d.Processes {
			p.line("  ", typeset.PadLeft(reports.ProcessorsUsed(d, &x), 6), "  ", typeset.PadLeft(typeset.Digits(x.PID), 8), "  ", typeset.Pad(typeset.Clean(x.Name), 16), "  ", reports.WhoseProcess(&x))
		}
	}
	if len(d.Functions) > 0 {
		p.gap()
		p.line(p.tint(strong, "── Functions, of the whole host (perf)"))
		p.gap()
		for i, f := range d.Functions {
			if !reports.SlowShown(i, &f) {
				continue
			}
			p.para(fmt.Sprintf("  %5.1f %%  ", f.Percent), plain, reports.FunctionName(&f))
			if f.Meaning != "" {
				p.para("           ", faint, f.Meaning)
			}
		}
	}
	if len(d.Missing) > 0 {
		p.gap()
		p.line(p.tint(strong, "── Could not be seen"))
		p.gap()
		for _, g := range d.Missing {
			p.para("  ", plain, typeset.Clean(reports.Unseen(g)))
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// slowFigures writes what was measured.
func (p *page) slowFigures(d *slow.Sample) {
	for _, row := range reports.SlowFigureRows(d) {
		p.para("  "+typeset.Pad(row[0], 20)+"  ", plain, row[1])
	}
}
