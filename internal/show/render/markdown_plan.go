package render

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// PlanMarkdown writes a plan in Markdown: the memory before and after as a table,
// the changes by layer and effect, each with its reason, and what to mind.
func PlanMarkdown(w io.Writer, d Plan, st Style) error {
	p := newPage(st)
	d.Plan = d.Plan.In(st.Words)
	var o Outline
	o.title("pgfettle plan", d.Subject.Host)
	p.subjectOutline(&o, p.say("show/plan/about", "Plan for"), d.Subject)
	this, others := p.profileTold(d.Profile)
	o.para(bold(p.say("show/plan/profile", "Profile:")), " ", this, "; ", others)
	for i, l := range p.planSummary(d) {
		if i == 0 {
			o.para(bold(l))
			continue
		}
		o.para(l)
	}
	p.budgetOutline(&o, d.Budget)
	var shared []Item
	for _, s := range d.Shared {
		shared = append(shared, Item{Text: prose(p.sharedLine(s))})
	}
	o.list(shared)
	for _, g := range groupsOf(d.Changes) {
		p.changeOutline(&o, g, g.of(d.Changes))
	}
	if len(d.Warnings) > 0 {
		o.heading(2, p.say("show/plan/warnings", "Before you act"))
		var list []Item
		for _, text := range d.Warnings {
			list = append(list, item(nil, text))
		}
		o.list(list)
	}
	p.leftOutline(&o, d.Left)
	p.gapOutline(&o, d.Unknown)
	return WriteMarkdown(w, o)
}

// budgetOutline is the memory before and after, in the worst case.
func (p *page) budgetOutline(o *Outline, b plan.Budget) {
	if !b.Known {
		o.heading(2, p.say("show/budget/not_drawn", "Memory budget: not drawn"))
		o.para(Told{p}.BudgetUnknown())
		return
	}
	o.heading(2, p.boundText(b))
	o.para(p.worst())
	before, after := p.say("show/budget/before", "before"), p.say("show/budget/after", "after")
	rows := [][]string{{p.say("show/web/part", "part"), before, "%", after, "%"}}
	row := func(name string, was, will unit.Bytes) {
		rows = append(rows, []string{name, amountOf(was), percentOf(was, b.Before.Total), amountOf(will), percentOf(will, b.After.Total)})
	}
	for _, pt := range parts {
		was, will := pt.of(b.Before), pt.of(b.After)
		if was == 0 && will == 0 && pt.sign != fileCache {
			continue
		}
		row(p.word(pt.name), was, will)
	}
	if b.Before.Shortfall > 0 || b.After.Shortfall > 0 {
		row(p.say("show/web/shortfall", "missing, past the end of the memory"), b.Before.Shortfall, b.After.Shortfall)
	}
	o.add(tableOf(p.say("show/budget/title", "Memory budget"), rows, 1))
	for _, l := range p.beneath(b) {
		o.para(l)
	}
	if b.After.Shortfall > 0 {
		o.toned(ToneBad, bold(p.misfit(b)))
	}
}

// changeOutline is the changes that stand under one heading: their values side by
// side, then why.
func (p *page) changeOutline(o *Outline, g group, list []plan.Change) {
	o.heading(2, p.heading(g))
	t := Table{Caption: p.heading(g), Head: []string{p.say("show/web/setting", "setting"), p.say("show/budget/before", "before"), p.say("show/budget/after", "after")}}
	risky := false
	for _, c := range list {
		risky = risky || c.Risk != knob.Low && c.Risk != ""
	}
	if risky {
		t.Head = append(t.Head, p.say("show/column/risk", "risk"))
	}
	var why []Item
	for _, c := range list {
		row := []Prose{prose(code(shortName(c.Address))), prose(code(shown(c.From))), prose(code(shown(c.To) + measure(c)))}
		if risky {
			row = append(row, prose(Told{p}.Risk(c.Risk)))
		}
		t.Rows = append(t.Rows, row)
		it := item(prose(code(shortName(c.Address)), p.colon()), c.Reason)
		var more []Item
		if in := unsaidOf(&c); in != "" {
			more = append(more, Item{Text: prose(p.say("show/plan/inputs", "inputs:")+" ", in)})
		}
		if len(c.Sources) > 0 {
			more = append(more, Item{Text: prose(p.say("show/plan/source", "source:")+" ", sourceTitles(c.Sources))})
		}
		if len(more) > 0 {
			it.More = append(it.More, List{more})
		}
		why = append(why, it)
	}
	o.add(t)
	o.list(why)
}
