package pages

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// Knob is the page of a setting that plans decide, with what it is and would be where a host was looked at.
func Knob(k document.KnobPage, in *say.Catalogue) outline.Outline {
	p := newPage(in)
	r := k.Rule.In(in)
	what := string(r.Address.Layer()) + " knob"
	if r.Address.Prefix() != "pg" {
		what += ", " + p.Word(outline.EffectWords[r.Effect])
	}
	if r.Risk != "" && r.Risk != knob.Low {
		what += ", " + strings.Replace(p.Word(outline.RiskWords[r.Risk]), ":", "", 1)
	}
	p.title(string(r.Address), what, r.Title)
	p.section(p.Say("What it trades"), r.Why)
	p.section(p.Say("How the value is decided"), r.Formula)
	var needs []string
	for _, n := range r.Needs {
		needs = append(needs, string(n))
	}
	p.names(p.Say("Decided after"), needs)
	if r.Tolerance > 0 {
		p.section(p.Say("Left alone"),
			p.Say("A present value within {percent} % of the wanted one stays.", "percent",
				int(100*r.Tolerance+0.5)))
	}
	if from, to := r.Versions(); from+to > 0 {
		p.versions(from, to)
	}
	p.pages(k.Pages)
	p.sources(r.Sources)
	if k.Looked {
		p.here(k.Here, k.Gaps)
	}
	return p.o
}

// Unplanned is the page of a setting that is read and that no rule decides.
func Unplanned(k document.UnplannedPage, in *say.Catalogue) outline.Outline {
	p := newPage(in)
	p.title(string(k.Address), string(k.Address.Layer())+" knob, read and not planned", "")
	p.section(p.Say("Why no plan changes it"),
		p.Say("It is looked at and left alone: {why}.", "why", k.Why))
	p.pages(k.Pages)
	if k.Looked {
		p.here(k.Here, k.Gaps)
	}
	return p.o
}

// here is what a setting is and would be on the host that was looked at, for each instance or device.
func (p *page) here(list []document.KnobHere, gaps []known.Gap) {
	p.o.Heading(2, p.Say("Here"))
	for _, h := range list {
		p.o.Para(h.Instance)
		p.o.Para(h.Subject)
		p.o.Add(outline.Rows{List: []outline.Row{p.value(h)}})
	}
	p.gaps(gaps)
	if len(list)+len(gaps) == 0 {
		p.o.Para(p.Say("There is nothing here that it applies to."))
	}
}

// value is one value now and as planned, with the reason and the inputs that it does not name.
func (p *page) value(h document.KnobHere) outline.Row {
	now := p.Say("not known")
	if v, ok := h.Present.Get(); ok {
		now = outline.Shown(v.Show())
	} else if h.Present.State() == known.Absent {
		now = p.Say("none")
	}
	text := p.Say("now {now}; it stays", "now", now)
	switch {
	case h.Planned == "":
		text = p.Say("now {now}; no opinion on it here", "now", now)
	case h.Changes:
		text = p.Say("now {now} → planned {planned}", "now", now, "planned",
			outline.Shown(h.Planned))
	}
	because, inputs := p.Say("because"), p.Say("inputs")
	fields := outline.Fields{Labels: []string{because, inputs}}
	if h.Reason != "" {
		fields.List = append(fields.List, outline.FieldOf(because, h.Reason))
	}
	if in := outline.Unsaid(h.Reason+h.English, h.Inputs); in != "" {
		f := outline.FieldOf(inputs, in)
		f.Tone = outline.ToneNote
		fields.List = append(fields.List, f)
	}
	r := outline.RowOf(text)
	if len(fields.List) > 0 {
		r.More = []outline.Block{fields}
	}
	return r
}
