// Package experiments holds the outline of a measured experiment, its figures and its picture.
package experiments

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// FigureBlocks is the picture of an experiment: each block, the interval, the line
// of no difference and the margin.
const FigureBlocks = "blocks"

var resultTones = map[stat.Word]outline.Tone{stat.Improved: outline.ToneGood, stat.Regressed: outline.ToneBad,
	stat.Equivalent: outline.ToneInfo, stat.Inconclusive: outline.ToneMind, stat.Indicative: outline.ToneMind,
	stat.Unsuitable: outline.ToneBad}

// Result is an experiment before any form; plain says that its picture is drawn without signs
// beyond ASCII.
func Result(r *experiment.Result, c *say.Catalogue, plain bool) outline.Outline {
	d := ReportOf(r, outline.WordsIn(c))
	var o outline.Outline
	o.Command(resultTitle(r))
	if d.Course != nil {
		o.Para(outline.Bold(d.Course.Title))
		o.Para(d.Course.Question)
	}
	lead, lines, _ := d.Verdict()
	tone := resultTones[r.Word]
	if r.Design == experiment.DesignSingle || d.interrupted() {
		tone = outline.ToneMind
	}
	for i, l := range lines {
		if i == 0 {
			o.Toned(tone, outline.Bold(lead+": "+l))
			continue
		}
		o.Para(l)
	}
	o.Para(d.Calibration())
	o.Add(resultArms(r))
	resultNotes(&o, d)
	if r.Design == experiment.DesignSingle {
		o.Heading(2, "Runs")
		o.Add(outline.TableOf("Runs in order", d.RunRows(), 1))
		discarded(&o, d)
	} else {
		o.Heading(2, "Blocks")
		if d.drawable() {
			o.Add(outline.Figure{Name: FigureBlocks, Picture: blocks{d, plain}})
		}
		rows := d.BlockRows()
		o.Add(outline.TableOf("Blocks in order", rows, 1))
		discarded(&o, d)
		if rows := d.SecondaryRows(); rows != nil {
			o.Heading(2, "Exploratory")
			o.Para(typeset.Sentence(Exploratory))
			o.Add(outline.TableOf("Other metrics", rows, 1))
			o.Toned(outline.ToneNote, d.Deferred())
		}
	}
	o.Heading(2, "Environment")
	about := outline.Items(MeasuredOn(r))
	if said := WorstOf(r); said != "" {
		about = append(about, outline.Item{Text: outline.Join(said)})
	}
	o.Kind(outline.Lines, about)
	o.Heading(2, "Repeat")
	o.Add(outline.Listing{Lines: []string{RepeatLine(r)}})
	if r.Workload.Command != "" {
		o.Para("Only the load:")
		o.Add(outline.Listing{Lines: []string{r.Workload.Command}})
	}
	o.Toned(outline.ToneNote, typeset.Capital(RanWhen(r)))
	return o
}

// resultTitle names an experiment: by its own name, or by what it compares.
func resultTitle(r *experiment.Result) outline.Prose {
	switch {
	case r.Design == experiment.DesignSingle:
		return outline.Join("pgfettle bench: ", outline.Code(r.A.Name))
	case r.Name == AA:
		return outline.Join("pgfettle prove --aa: ", outline.Code(r.A.Name))
	case r.Name != "":
		return outline.Join("pgfettle prove: ", outline.Code(r.Name))
	}
	return outline.Join("pgfettle prove: ", outline.Code(r.B.Name), " against ", outline.Code(r.A.Name))
}

func resultArms(r *experiment.Result) outline.Fields {
	config := func(lead string, a *experiment.MeasuredConfiguration) outline.Field {
		return outline.FieldOf(lead, outline.Code(a.Name), ": ", ArmValues(a))
	}
	if r.Design == experiment.DesignSingle {
		return outline.Fields{List: []outline.Field{config("conf", &r.A)}}
	}
	return outline.Fields{List: []outline.Field{config("A", &r.A), config("B", &r.B)}}
}

// resultNotes are what has to be known to read it.
func resultNotes(o *outline.Outline, d *Report) {
	if d.Course != nil {
		o.Add(courseFields(d.Course))
	}
	if notes := d.Noted(); len(notes) > 0 {
		o.Para(outline.Bold("Notes"))
		o.List(outline.Items(notes))
	}
}

// courseFields are what a named experiment says of itself.
func courseFields(e *experiment.Exercise) outline.Fields {
	caution := outline.FieldOf("Caution:", e.Caution)
	caution.Tone = outline.ToneMind
	return outline.Fields{List: []outline.Field{outline.FieldOf("Course statement:", e.Told),
		outline.FieldOf("Expected:", e.Expect), caution}}
}

func discarded(o *outline.Outline, d *Report) {
	list, sum := d.DiscardedTold()
	var out []outline.Item
	for _, v := range list {
		out = append(out, outline.Item{Text: outline.Join(fmt.Sprintf("Block %d discarded: ", v.Block), v.Why)})
	}
	o.List(out)
	o.Toned(outline.ToneNote, sum)
}
