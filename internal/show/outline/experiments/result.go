// Package experiments holds the outline of a measured experiment, its figures and its picture.
package experiments

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/outline"
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
	p := outline.WordsIn(c)
	d := ReportOf(r, p)
	var o outline.Outline
	o.Command(d.title())
	if d.Course != nil {
		o.Para(outline.Bold(p.Word(d.Course.Title)))
		o.Para(p.Word(d.Course.Question))
	}
	lead, lines := d.Verdict()
	tone := resultTones[r.Word]
	if r.Design == experiment.DesignSingle || d.interrupted() {
		tone = outline.ToneMind
	}
	for i, l := range lines {
		if i == 0 {
			o.Toned(tone, outline.Bold(lead+p.Colon()+l))
			continue
		}
		o.Para(l)
	}
	o.Para(d.Calibration())
	o.Add(d.arms())
	resultNotes(&o, d)
	if r.Design == experiment.DesignSingle {
		o.Heading(2, p.Say("Runs"))
		o.Add(outline.TableOf(p.Say("Runs in order"), d.RunRows(), 1))
		discarded(&o, d)
	} else {
		o.Heading(2, p.Say("Blocks"))
		if d.drawable() {
			o.Add(outline.Figure{Name: FigureBlocks, Picture: blocks{d, plain}})
		}
		rows := d.BlockRows()
		o.Add(outline.TableOf(p.Say("Blocks in order"), rows, 1))
		discarded(&o, d)
		if rows := d.SecondaryRows(); rows != nil {
			o.Heading(2, p.Say("Exploratory"))
			o.Para(p.Say("These metrics do not affect the verdict; p values are corrected for multiple comparisons " +
				"(Holm)."))
			o.Add(outline.TableOf(p.Say("Other metrics"), rows, 1))
			o.Toned(outline.ToneNote, d.Deferred())
		}
	}
	o.Heading(2, p.Say("Environment"))
	about := outline.Items(d.measuredOn())
	if said := d.worst(); said != "" {
		about = append(about, outline.Item{Text: outline.Join(said)})
	}
	o.Kind(outline.Lines, about)
	o.Heading(2, p.Say("Repeat"))
	o.Add(outline.Listing{Lines: []string{repeatLine(r)}})
	if more, ok := r.Offer(); ok {
		o.Para(p.Many(more.Blocks, "To add {n} block (DIR is the directory of this experiment):",
			"To add {n} blocks (DIR is the directory of this experiment):"))
		o.Add(outline.Listing{Lines: []string{"pgfettle prove --resume DIR --more " + strconv.Itoa(more.Blocks)}})
	}
	if r.Workload.Command != "" {
		o.Para(p.Say("Only the load:"))
		o.Add(outline.Listing{Lines: []string{r.Workload.Command}})
	}
	o.Toned(outline.ToneNote, d.ranWhen())
	return o
}

// title names an experiment: by its own name, or by what it compares.
func (d *Report) title() outline.Prose {
	r := d.Result
	switch {
	case r.Design == experiment.DesignSingle:
		return outline.Join("pgfettle bench", d.words.Colon(), outline.Code(r.A.Name))
	case r.Name == AA:
		return outline.Join("pgfettle prove --aa", d.words.Colon(), outline.Code(r.A.Name))
	case r.Name != "":
		return outline.Join("pgfettle prove", d.words.Colon(), outline.Code(r.Name))
	}
	// The language says which of the names stands first.
	const one, other = "\x01", "\x02"
	var out outline.Prose
	rest := d.words.Say("pgfettle prove: {b} against {a}", "a", one, "b", other)
	for {
		i := strings.IndexAny(rest, one+other)
		if i < 0 {
			return outline.Join(out, rest)
		}
		name := r.A.Name
		if rest[i:i+1] == other {
			name = r.B.Name
		}
		out, rest = outline.Join(out, rest[:i], outline.Code(name)), rest[i+1:]
	}
}

func (d *Report) arms() outline.Fields {
	config := func(lead string, a *experiment.MeasuredConfiguration) outline.Field {
		if a.Server != "" {
			return outline.FieldOf(lead, outline.Code(a.Name), " (PostgreSQL "+a.Server+")", d.words.Colon(),
				d.settingsOf(a))
		}
		return outline.FieldOf(lead, outline.Code(a.Name), d.words.Colon(), d.settingsOf(a))
	}
	r := d.Result
	if r.Design == experiment.DesignSingle {
		return outline.Fields{List: []outline.Field{config("conf", &r.A)}}
	}
	return outline.Fields{List: []outline.Field{config("A", &r.A), config("B", &r.B)}}
}

// resultNotes are what has to be known to read it.
func resultNotes(o *outline.Outline, d *Report) {
	if d.Course != nil {
		o.Add(courseFields(d.Course, d.words))
	}
	if notes := d.Noted(); len(notes) > 0 {
		o.Para(outline.Bold(d.words.Say("Notes")))
		o.List(outline.Items(notes))
	}
}

// courseFields are what a named experiment says of itself.
func courseFields(e *experiment.Exercise, p outline.Words) outline.Fields {
	caution := outline.FieldOf(p.Say("Caution:"), p.Word(e.Caution))
	caution.Tone = outline.ToneMind
	return outline.Fields{List: []outline.Field{outline.FieldOf(p.Say("Course statement:"), p.Word(e.Told)),
		outline.FieldOf(p.Say("Expected:"), p.Word(e.Expect)), caution}}
}

func discarded(o *outline.Outline, d *Report) {
	list, sum := d.DiscardedTold()
	o.List(outline.Items(list))
	o.Toned(outline.ToneNote, sum)
}
