package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/result"
	"github.com/pgfettle/pgfettle/internal/judge/stat"
)

// ResultMarkdown writes an experiment in Markdown: the verdict first, then the
// blocks, all other figures, and how to repeat it.
func ResultMarkdown(w io.Writer, r *result.Result, st Style) error {
	return WriteMarkdown(w, ResultOutline(r, st))
}

// FigureBlocks is the picture of an experiment: each block, the interval, the line
// of no difference and the margin.
const FigureBlocks = "blocks"

var resultTones = map[stat.Word]Tone{stat.Improved: ToneGood, stat.Regressed: ToneBad, stat.Inconclusive: ToneMind, stat.Indicative: ToneMind, stat.Unsuitable: ToneBad}

// pictureWidth is what a ticket shows of a listing without scrolling.
const pictureWidth = 90

// ResultOutline is an experiment before any form. Of st the language counts.
func ResultOutline(r *result.Result, st Style) Outline {
	d := newResultPage(newPage(st), r)
	var o Outline
	o.heading(1, resultTitle(r))
	if d.e != nil {
		o.para(bold(d.e.Title))
		o.para(d.e.Question)
	}
	lead, lines, _ := d.verdict()
	tone := resultTones[r.Word]
	if r.Design == result.Single || d.interrupted() {
		tone = ToneMind
	}
	for i, l := range lines {
		if i == 0 {
			o.toned(tone, bold(lead+": "+l))
			continue
		}
		o.para(l)
	}
	o.para(d.calibration())
	o.list(resultArms(r))
	o.resultNotes(d)
	if r.Design == result.Single {
		o.heading(2, "Runs")
		o.add(tableOf("Runs, in their order", d.runRows(), 1))
		o.voids(d)
	} else {
		o.heading(2, "Blocks")
		if d.drawable() {
			o.add(Figure{Name: FigureBlocks, Signs: resultSigns(r, st)})
		}
		rows := d.blockRows()
		o.add(tableOf("Blocks, in the order in which they were run", rows, 1))
		o.voids(d)
		if rows := d.secondaryRows(); rows != nil {
			o.heading(2, "Exploratory")
			o.para(sentence(exploratory))
			o.add(tableOf("Other metrics", rows, 1))
			o.toned(ToneNote, d.deferred())
		}
	}
	o.heading(2, "Measured on")
	about := items(measuredOn(r))
	if said := worstOf(r); said != "" {
		about = append(about, Item{Text: prose(said)})
	}
	o.list(about)
	o.heading(2, "To repeat it")
	o.add(Listing{Lines: []string{repeatLine(r)}})
	if r.Workload.Command != "" {
		o.para("The load alone:")
		o.add(Listing{Lines: []string{r.Workload.Command}})
	}
	o.toned(ToneNote, capital(ranWhen(r)))
	return o
}

// resultTitle names an experiment: by its own name, or by what it compares.
func resultTitle(r *result.Result) Prose {
	switch {
	case r.Design == result.Single:
		return prose("pgfettle bench: ", code(r.A.Name))
	case r.Name == AA:
		return prose("pgfettle prove --aa: ", code(r.A.Name))
	case r.Name != "":
		return prose("pgfettle prove: ", code(r.Name))
	}
	return prose("pgfettle prove: ", code(r.B.Name), " against ", code(r.A.Name))
}

func resultArms(r *result.Result) []Item {
	arm := func(lead string, a *result.Arm) Item {
		return Item{Text: prose(bold(lead), " ", code(a.Name), ": ", armValues(a))}
	}
	if r.Design == result.Single {
		return []Item{arm("conf", &r.A)}
	}
	return []Item{arm("A", &r.A), arm("B", &r.B)}
}

// resultNotes are what has to be known to read it.
func (o *Outline) resultNotes(d *resultPage) {
	if d.e != nil {
		o.list([]Item{
			{Text: prose(bold("The course says:"), " ", d.e.Told)},
			{Text: prose(bold("To be expected:"), " ", d.e.Expect)},
			{Text: prose(bold("Caution:"), " ", d.e.Caution)},
		})
	}
	if notes := d.noted(); len(notes) > 0 {
		o.para(bold("To be known"))
		o.list(items(notes))
	}
}

func (o *Outline) voids(d *resultPage) {
	list, sum := d.voidTold()
	var out []Item
	for _, v := range list {
		out = append(out, Item{Text: prose(fmt.Sprintf("Block %d is void: ", v.block), v.why)})
	}
	o.list(out)
	o.toned(ToneNote, sum)
}

// resultSigns is the picture of the blocks drawn with signs.
func resultSigns(r *result.Result, st Style) []string {
	p := newPage(Style{Width: pictureWidth, ASCII: st.ASCII})
	newResultPage(p, r).picture()
	return strings.Split(strings.Trim(p.b.String(), "\n"), "\n")
}
