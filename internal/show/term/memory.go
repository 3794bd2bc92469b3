package term

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Memory writes it for a person: the verdict, where the memory of
// the host is, each instance, what would save how much, the OOM killer's choice.
func Memory(w io.Writer, d *memory.Report, st Style) error {
	p := newPage(st)
	p.para(d.Level+": ", toneOf(reports.LevelTones[d.Level]), d.Verdict)
	if d.Host != nil {
		p.gap()
		p.memoryPicture(d.Host)
	}
	for i := range d.Instances {
		p.gap()
		p.memoryInstance(&d.Instances[i])
	}
	for i := range d.OOM {
		p.gap()
		p.memoryOOM(&d.OOM[i])
	}
	if len(d.Unknown) > 0 {
		p.gap()
		p.line(p.tint(strong, "Not known"))
		p.memoryGaps(d.Unknown)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) memoryGaps(gaps []known.Gap) {
	for _, g := range gaps {
		p.para("  ", plain, reports.GapLine(g))
	}
}

// memorySigns are the signs and tones of the parts of the picture, each of its
// own, so that it can be read without colour.
var memorySigns = map[string]struct {
	sign string
	tone tone
}{
	memory.PartTables: {"%", "31"}, memory.PartPrivate: {"=", "36"}, memory.PartShared: {"#", "34"}, memory.PartHuge: {"H", "34"},
	memory.PartOthers: {"o", "37"}, memory.PartTables2: {"*", "31"}, memory.PartKernel: {":", "2"}, memory.PartIdleHuge: {"!", "1;31"},
	memory.PartCache: {"-", "33"}, memory.PartFree: {".", "32"},
}

// memoryPicture draws where the memory of the host is.
func (p *page) memoryPicture(h *memory.Host) {
	p.line(p.tint(strong, "Memory of the host"), ": ", reports.HostMemory(h))
	p.gap()
	amounts := make([]unit.Bytes, len(h.Parts))
	for i, part := range h.Parts {
		amounts[i] = part.Size
	}
	var bar strings.Builder
	for i, n := range outline.BarCells(amounts, min(p.st.Width-4, 100)) { // a longer bar shows nothing more
		s := memorySigns[h.Parts[i].Name]
		bar.WriteString(p.tint(s.tone, strings.Repeat(s.sign, n)))
	}
	p.line("  |", bar.String(), "|")
	p.gap()
	w := 0
	for _, part := range h.Parts {
		w = max(w, typeset.Width(part.Name))
	}
	for _, part := range h.Parts {
		if part.Size == 0 {
			continue
		}
		s := memorySigns[part.Name]
		p.line("  ", p.tint(s.tone, s.sign), " ", typeset.Pad(part.Name, w), typeset.PadLeft(part.Size.String(), 10), typeset.PadLeft(outline.Percent(part.Size, h.Total), 9))
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

func (p *page) memoryInstance(in *memory.Instance) {
	p.line(p.tint(strong, reports.MemoryHead(in)))
	if facts := reports.MemoryFacts(in); facts != "" {
		p.para("  ", plain, facts)
	}
	for _, rows := range [][][]string{reports.KindRows(in), reports.SessionRows(in)} {
		if len(rows) > 0 {
			p.gap()
			rows[0][1] = "" // what is counted stands before it already
			p.memoryTable(rows)
		}
	}
	p.memoryOptions(in)
}

// memoryOptions puts side by side what would save how much.
func (p *page) memoryOptions(in *memory.Instance) {
	if len(in.Options) == 0 {
		return
	}
	p.gap()
	p.para("  ", plain, reports.OptionsIntro(in))
	p.gap()
	p.memoryTable(reports.OptionRows(in))
	if note := in.Options[0].Note; note != "" {
		p.para("  ", plain, typeset.Sentence(note))
	}
	worth := reports.Worthwhile(in)
	for i := range worth {
		o := &worth[i]
		p.gap()
		lead := "  " + o.Title + ": "
		if left := reports.OptionLeft(in, o); left != "" {
			p.para(lead, plain, left)
		} else {
			p.line(strings.TrimRight(lead, " "))
		}
		for _, d := range o.Do {
			p.para("    ", cyan, d)
		}
		if o.Note != "" {
			p.para("    ", faint, "("+o.Note+")")
		}
	}
	if len(worth) == 0 && len(in.Options) > 1 {
		p.gap()
		p.para("  ", plain, reports.NotWorth())
	}
}

// memoryOOM tells the OOM killer's choice.
func (p *page) memoryOOM(o *memory.OOM) {
	head, compared := reports.ChoiceHead(o)
	p.line(p.tint(strong, head), " (", compared, ")")
	if len(o.Next) == 0 {
		p.para("  ", yellow, reports.ChoiceWords(o))
	} else {
		p.para("  ", plain, reports.ChoiceWords(o))
		p.para("  ", plain, o.Outcome)
		p.gap()
		p.memoryTable(reports.ChoiceRows(o))
	}
	for _, n := range reports.ChoiceNotes(o) {
		p.para("  ", faint, n)
	}
}
