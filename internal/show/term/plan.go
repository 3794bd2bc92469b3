package term

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var riskTone = map[knob.Risk]tone{knob.Medium: yellow, knob.High: red}

// Plan writes a plan for a person: what it is for, the memory before and
// after, the changes by layer and effect, warnings, what is not known, and one
// line of summary.
func Plan(w io.Writer, d document.Plan, st Style) error {
	p := newPage(st)
	d.Plan = d.Plan.In(st.Words)
	p.subject(p.Say("show/plan/about", "Plan for"), d.Subject)
	p.profile(d.Profile)
	if d.Of == 0 { // the memory is that of the whole plan, and so is what it lacks
		p.budget(d.Budget)
		p.shared(d.Shared)
	}
	p.changes(d.Changes)
	p.warnings(say.Strings(d.Warnings))
	if d.Of == 0 {
		p.left(d.Left)
		p.unknown(d.Unknown)
	}
	p.gap()
	for _, l := range p.PlanSummary(d) {
		p.para("", strong, l)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) profile(have rule.Profile) {
	lead := p.Say("show/plan/profile", "Profile:") + " "
	this, others := p.PlannedFor(have)
	p.para(lead, plain, this)
	p.line(typeset.Pad("", typeset.Width(lead)), others)
}

// shared tells how much shared memory each instance will ask for, and how that
// is known: the number of huge pages rests on it.
func (p *page) shared(list []plan.Shared) {
	if len(list) == 0 {
		return
	}
	p.gap()
	for _, s := range list {
		p.para("  ", plain, p.Shared(s))
	}
}

// changes lists them by layer and instance, then by effect from the gentlest;
// within one heading the plan's order stays, which is that of carrying it out.
func (p *page) changes(list []plan.Change) {
	for _, g := range outline.Groups(list) {
		p.gap()
		p.line(p.tint(strong, p.Heading(g)))
		p.changeGroup(g.Changes)
	}
}

func (p *page) changeGroup(list []plan.Change) {
	name, from := 0, 0
	for _, c := range list {
		name = max(name, typeset.Width(outline.ShortName(c.Address)))
		from = max(from, typeset.Width(outline.Shown(c.From)))
	}
	// Beyond these, one long name or value would push all others out of sight.
	name, from = min(name, 36), min(from, 16)
	for _, c := range list {
		l := "  " + p.tint(strong, typeset.Pad(outline.ShortName(c.Address), name)) + "  " + typeset.PadLeft(outline.Shown(c.From), from) + " → " + p.tint(green, outline.Shown(c.To)+outline.Measure(c))
		if c.Risk != knob.Low && c.Risk != "" {
			l += p.tint(riskTone[c.Risk], "  "+p.Word(outline.RiskWords[c.Risk]))
		}
		p.line(l)
		const indent = "      "
		p.para(indent, plain, c.Reason.String())
		if in := outline.UnsaidOf(&c); in != "" {
			p.para(indent+p.Say("show/plan/inputs", "inputs:")+" ", faint, in)
		}
		if len(c.Sources) > 0 {
			p.para(indent+p.Say("show/plan/source", "source:")+" ", faint, outline.SourceTitles(say.SourcesOf(c.Sources)))
		}
	}
}

func (p *page) warnings(list []string) {
	if len(list) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(yellow, p.Say("show/plan/warnings", "Before you act")))
	for _, w := range list {
		p.para("  ! ", plain, w)
	}
}

func (p *page) left(list []plan.Left) {
	if len(list) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, p.LeftHeading()))
	for _, l := range list {
		head, rest := p.Left(l)
		p.line("  ", p.tint(strong, head), " (", p.Say("show/severity/"+l.Severity.String(), l.Severity.String()), ")")
		p.para("      ", plain, rest)
	}
}
