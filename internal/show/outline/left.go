package outline

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// leftWords say why a plan leaves a finding.
var leftWords = map[plan.Reason]say.Message{
	plan.ByPolicy:   say.M("accepted by the policy"),
	plan.ByPin:      say.M("pinned by you"),
	plan.OtherLayer: say.M("for the host below this container"),
	plan.NotSeen:    say.M("could not be decided"),
	plan.ByPerson:   say.M("needs a person"),
	plan.Lessened:   say.M("in the plan, but that alone does not end it"),
}

func (p Words) LeftHeading() string {
	return p.Say("Not in this plan: what check still tells after it")
}

// Left is one finding that the plan leaves: its id, where it is, and why.
func (p Words) Left(l plan.Left) (head, rest string) {
	head = l.ID
	if l.Instance != "" {
		head += " " + typeset.Clean(l.Instance)
	}
	rest = p.Word(leftWords[l.Reason])
	if l.Detail != "" {
		rest += p.Colon() + typeset.Clean(l.Detail)
	}
	return head, rest
}

func (p Words) leftOutline(o *Outline, list []plan.Left) {
	if len(list) == 0 {
		return
	}
	o.Heading(2, p.LeftHeading())
	var items []Item
	for _, l := range list {
		head, rest := p.Left(l)
		name := Piece{Text: head, As: AsName, Topic: l.ID}
		items = append(items, ItemOf(Join(name), " ("+p.Severity(l.Severity)+
			"): "+rest))
	}
	o.Kind(Points, items)
}
