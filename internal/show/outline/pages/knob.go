package pages

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// layerWords say what kind of setting belongs to a layer.
var layerWords = map[knob.Layer]say.Message{
	knob.Instance: say.M("server setting"),
	knob.Kernel:   say.M("kernel setting"),
	knob.Boot:     say.M("boot parameter"),
	knob.Mounts:   say.M("mount option"),
	knob.Units:    say.M("systemd unit setting"),
}

// KnobTag describes the kind of setting a rule is for; when a change takes effect, unless the context of a server
// setting shows it; and the risk, if any.
func KnobTag(r rule.Rule) say.Message {
	list := []say.Message{layerWords[r.Address.Layer()]}
	if r.Address.Prefix() != "pg" {
		list = append(list, outline.EffectWords[r.Effect])
	}
	return say.All(", ", append(list, outline.RiskWords[r.Risk])...) // no words for a low risk
}

// UnplannedTag is the same for a setting that no rule is for.
func UnplannedTag(a knob.Address) say.Message {
	return say.All(", ", layerWords[a.Layer()], say.M("read but not planned"))
}

// Knob is the page of a setting that plans decide, with what it is and would be where a host was examined.
func Knob(k document.KnobPage, in *say.Catalogue) outline.Outline {
	p := newPage(in)
	r := k.Rule.In(in)
	p.title(string(r.Address), p.Word(KnobTag(r)), r.Title)
	p.section(p.Say("Benefits and costs"), r.Why)
	p.section(p.Say("How the value is chosen"), r.Formula)
	var needs []string
	for _, n := range r.Needs {
		needs = append(needs, string(n))
	}
	p.names(p.Say("Depends on"), needs)
	if r.Tolerance > 0 {
		p.section(p.Say("Tolerance"),
			p.Say("A current value within {percent}% of the recommended value is kept.", "percent",
				int(100*r.Tolerance+0.5)))
	}
	if from, to := r.Versions(); from+to > 0 {
		p.versions(from, to)
	}
	p.pages(k.Pages, in)
	p.sources(r.Sources)
	if k.Looked {
		p.here(k.Here, k.Gaps)
	}
	return p.o
}

// Unplanned is the page of a setting that is read and that no rule decides.
func Unplanned(k document.UnplannedPage, in *say.Catalogue) outline.Outline {
	p := newPage(in)
	k.Unplanned = k.In(in)
	p.title(string(k.Address), p.Word(UnplannedTag(k.Address)), "")
	p.section(p.Say("Why it is not planned"),
		p.Say("Not planned: {why}.", "why", k.Why))
	p.pages(k.Pages, in)
	if k.Looked {
		p.here(k.Here, k.Gaps)
	}
	return p.o
}

// here is what a setting is and would be on the host that was examined, for each instance or device.
func (p *page) here(list []document.KnobHere, gaps []known.Gap) {
	p.o.Heading(2, p.Say("On this host"))
	for _, h := range list {
		p.o.Para(h.Instance)
		p.o.Para(h.Subject)
		p.o.Add(outline.Rows{List: []outline.Row{p.value(h)}})
	}
	p.gaps(gaps)
	if len(list)+len(gaps) == 0 {
		p.o.Para(p.Say("The setting does not apply to this host."))
	}
}

// value is one value now and as planned, with the reason and the inputs that it does not name.
func (p *page) value(h document.KnobHere) outline.Row {
	now := p.Say("unknown")
	if v, ok := h.Present.Get(); ok {
		now = outline.Shown(v.Show())
	} else if h.Present.State() == known.Absent {
		now = p.Say("none")
	}
	text := p.Say("now {now}; kept", "now", now)
	switch {
	case h.Planned == "":
		text = p.Say("now {now}; not planned here", "now", now)
	case h.Changes:
		text = p.Say("now {now} → planned {planned}", "now", now, "planned",
			outline.Shown(h.Planned))
	}
	reason, inputs := p.Say("reason"), p.Say("inputs")
	fields := outline.Fields{Labels: []string{reason, inputs}}
	if h.Reason != "" {
		fields.List = append(fields.List, outline.FieldOf(reason, h.Reason))
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
