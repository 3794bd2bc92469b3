package render

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
)

// DiagnoseMemoryMarkdown writes who holds the memory in Markdown.
func DiagnoseMemoryMarkdown(w io.Writer, d *diagnose.MemoryReport) error {
	return WriteMarkdown(w, DiagnoseMemoryOutline(d))
}

// The pictures of an outline of who holds the memory.
const (
	FigureMemory = "memory" // where the memory of the host is
	FigureTables = "tables" // page tables of instance At, by kind of process
)

var levelTones = map[string]Tone{diagnose.Critical: ToneBad, diagnose.Warning: ToneMind, diagnose.Fine: ToneGood}

// DiagnoseMemoryOutline is who holds the memory, before any form.
func DiagnoseMemoryOutline(d *diagnose.MemoryReport) Outline {
	var o Outline
	o.heading(1, "pgfettle diagnose memory")
	o.toned(levelTones[d.Level], bold(d.Level+":"), " ", flat(d.Verdict))
	if d.Host != nil {
		o.heading(2, "Memory of the host")
		o.para(memoryOf(d.Host))
		o.add(Figure{Name: FigureMemory, At: 0})
		rows := [][]string{{"part", "size", "share"}}
		for _, part := range d.Host.Parts {
			if part.Size > 0 {
				rows = append(rows, []string{part.Name, part.Size.String(), percentOf(part.Size, d.Host.Total)})
			}
		}
		o.add(tableOf("Where the memory of the host is", rows, 1))
	}
	for i := range d.Instances {
		o.memoryInstance(&d.Instances[i], i)
	}
	for i := range d.OOM {
		o.memoryChoice(&d.OOM[i])
	}
	if len(d.Unknown) > 0 {
		o.heading(2, "Not known")
		var list []Item
		for _, g := range d.Unknown {
			list = append(list, Item{Text: prose(gapLine(g))})
		}
		o.list(list)
	}
	return o
}

func (o *Outline) memoryInstance(in *diagnose.MemoryInstance, at int) {
	o.heading(2, memoryHead(in))
	o.para(memoryFacts(in))
	if rows := kindRows(in); rows != nil {
		o.heading(3, "Page tables by process")
		o.add(Figure{Name: FigureTables, At: at}, tableOf("Processes by kind", rows, 1))
	}
	if rows := sessionRows(in); rows != nil {
		o.heading(3, "Backends")
		o.add(tableOf("Backends by database, role and state", rows, 1))
	}
	if len(in.Options) == 0 {
		return
	}
	o.heading(3, "The worst case, and what would save how much of it")
	o.para(optionsIntro(in))
	rows := optionRows(in)
	rows[0][0] = "option"
	o.add(tableOf("The worst case and what would save some of it", rows, 1))
	o.para(sentence(in.Options[0].Note))
	worth := worthwhile(in)
	for i := range worth {
		op := &worth[i]
		o.para(bold(op.Title+":"), " ", optionLeft(in, op))
		o.list(items(op.Do))
		if op.Note != "" {
			o.toned(ToneNote, "("+op.Note+")")
		}
	}
	if len(worth) == 0 && len(in.Options) > 1 {
		o.para(notWorth())
	}
}

// memoryChoice tells whom the OOM killer would choose.
func (o *Outline) memoryChoice(c *diagnose.MemoryOOM) {
	head, compared := choiceHead(c)
	o.heading(2, head)
	o.para(sentence(compared))
	if len(c.Next) == 0 {
		o.toned(ToneMind, choiceWords(c))
	} else {
		o.para(capital(choiceWords(c)))
		o.para(c.Outcome)
		rows := choiceRows(c)
		rows[0][0] = "process"
		o.add(tableOf("Whom the OOM killer would choose, in its order", rows, 1))
	}
	o.list(items(choiceNotes(c)))
}
