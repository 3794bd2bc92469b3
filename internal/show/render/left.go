package render

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// leftWords say why a plan leaves a finding.
var leftWords = map[plan.Reason]say.Message{
	plan.ByPolicy:   say.M("show/left/accepted", "accepted by the policy"),
	plan.ByPin:      say.M("show/left/pinned", "pinned by you"),
	plan.OtherLayer: say.M("show/left/layer", "for the host below this container"),
	plan.NotSeen:    say.M("show/left/unknown", "could not be decided"),
	plan.ByPerson:   say.M("show/left/person", "needs a person"),
	plan.Lessened:   say.M("show/left/in_part", "in the plan, but that alone does not end it"),
}

func (p *page) leftHeading() string {
	return p.say("show/left/title", "Not in this plan: what check still tells after it")
}

// leftLine is one finding that the plan leaves: its id, where it is, and why.
func (p *page) leftLine(l plan.Left) (head, rest string) {
	head = l.ID
	if l.Instance != "" {
		head += " " + clean(l.Instance)
	}
	rest = p.word(leftWords[l.Reason])
	if l.Detail != "" {
		rest += p.colon() + clean(l.Detail)
	}
	return head, rest
}

func (p *page) left(list []plan.Left) {
	if len(list) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, p.leftHeading()))
	for _, l := range list {
		head, rest := p.leftLine(l)
		p.line("  ", p.tint(strong, head), " (", p.say("show/severity/"+l.Severity.String(), l.Severity.String()), ")")
		p.para("      ", plain, rest)
	}
}

func (p *page) leftOutline(o *Outline, list []plan.Left) {
	if len(list) == 0 {
		return
	}
	o.heading(2, p.leftHeading())
	var items []Item
	for _, l := range list {
		head, rest := p.leftLine(l)
		items = append(items, item(nil, head+" ("+p.say("show/severity/"+l.Severity.String(), l.Severity.String())+"): "+rest))
	}
	o.list(items)
}
