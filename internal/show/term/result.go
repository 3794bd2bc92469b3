package term

import (
	"io"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Result writes it for a person: the verdict first, then the picture of the
// blocks, then all the figures, and how to repeat it.
func Result(w io.Writer, r *experiment.Result, st Style) error {
	p := newPage(st)
	d := resultPage{p, experiments.ReportOf(r, p.Words)}
	d.head()
	d.notes()
	if r.Design == experiment.DesignSingle {
		d.single()
	} else {
		d.picture()
		d.blocks()
		d.secondary()
	}
	d.surroundings()
	d.repeat()
	_, err := io.WriteString(w, p.b.String())
	return err
}

// resultPage is a page about one experiment.
type resultPage struct {
	*page
	*experiments.Report
}

// head is the verdict, and what was compared.
func (d resultPage) head() {
	r := d.Result
	if d.Course != nil {
		d.line(d.tint(strong, typeset.Clean(d.Course.Title)))
		d.para("", plain, d.Course.Question)
		d.gap()
	}
	lead, lines, t := d.Verdict()
	for i, l := range lines {
		if i == 0 {
			d.para(lead+": ", toneOf(t), l)
			continue
		}
		d.para(strings.Repeat(" ", typeset.Width(lead)+2), plain, l)
	}
	if text := d.Calibration(); text != "" {
		d.gap()
		d.para("", plain, text)
	}
	d.gap()
	if r.Design == experiment.DesignSingle {
		d.arm("", &r.A)
		return
	}
	d.arm("A  ", &r.A)
	d.arm("B  ", &r.B)
}

// arm names a configuration and its values.
func (d resultPage) arm(lead string, a *experiment.MeasuredConfiguration) {
	d.line(lead, d.tint(strong, typeset.Clean(a.Name)))
	d.para("   ", faint, experiments.ArmValues(a))
}

// single lists the runs of one configuration.
func (d resultPage) single() {
	d.gap()
	d.memoryTable(d.RunRows())
	d.voids()
}

// blocks lists what was measured, one line a block.
func (d resultPage) blocks() {
	d.gap()
	d.line(d.tint(strong, "Blocks"), d.tint(faint, ", in the order in which they were run"))
	d.memoryTable(d.BlockRows())
	d.voids()
}

func (d resultPage) voids() {
	list, sum := d.VoidTold()
	for _, v := range list {
		d.para("  block "+strconv.Itoa(v.Block)+" is void: ", faint, v.Why)
	}
	t := faint
	if len(d.Result.Blocks) == 0 {
		t = plain
	}
	d.para("  ", t, sum)
}

// secondary is everything else that was measured.
func (d resultPage) secondary() {
	rows := d.SecondaryRows()
	if rows == nil {
		return
	}
	d.gap()
	d.line(d.tint(strong, "Exploratory"), d.tint(faint, ": "+experiments.Exploratory))
	d.memoryTable(rows)
	if text := d.Deferred(); text != "" {
		d.para("  ", faint, text)
	}
}

// notes are what has to be known to read it.
func (d resultPage) notes() {
	if d.Course != nil {
		d.gap()
		d.para("The course says: ", plain, d.Course.Told)
		d.para("To be expected: ", plain, d.Course.Expect)
		d.para("Caution: ", yellow, d.Course.Caution)
	}
	notes := d.Noted()
	if len(notes) == 0 {
		return
	}
	d.gap()
	for _, n := range notes {
		d.para("• ", plain, n)
	}
}

// picture draws the blocks.
func (d resultPage) picture() {
	signs := d.Signs(min(d.st.Width, 100), d.st.ASCII)
	if len(signs) > 0 {
		d.gap()
	}
	for _, l := range signs {
		d.prose(l)
	}
}

// surroundings are where it was measured, and what else went on.
func (d resultPage) surroundings() {
	d.gap()
	d.line(d.tint(strong, "Measured on"))
	for _, l := range experiments.MeasuredOn(d.Result) {
		d.para("  ", plain, l)
	}
	if said := experiments.WorstOf(d.Result); said != "" {
		d.para("  ", faint, said)
	}
}

// repeat is how to do it again.
func (d resultPage) repeat() {
	r := d.Result
	d.gap()
	d.line(d.tint(strong, "To repeat it"))
	d.line("  ", experiments.RepeatLine(r))
	if r.Workload.Command != "" {
		d.line(d.tint(faint, "  the load alone: "), typeset.Clean(r.Workload.Command))
	}
	if when := experiments.RanWhen(r); when != "" {
		d.line(d.tint(faint, "  "+when))
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
