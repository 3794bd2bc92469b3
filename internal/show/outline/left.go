package outline

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// leftWords say why a plan leaves a finding.
var leftWords = map[plan.Reason]say.Message{
	plan.ByPolicy:   say.M("accepted by the policy"),
	plan.ByPin:      say.M("pinned (--pin or policy)"),
	plan.OtherLayer: say.M("must be changed on the host of this container"),
	plan.NotSeen:    say.M("not decided, because facts are unknown"),
	plan.ByPerson:   say.M("requires manual action"),
	plan.Lessened:   say.M("reduced by the plan, but not resolved"),
}

func (p Words) LeftHeading() string {
	return p.Say("Findings that this plan does not resolve")
}

// Left is one finding that the plan leaves: its id, where it is, and why.
func (p Words) Left(l plan.Left) (head, rest string) {
	head = l.ID
	if l.Instance != "" {
		head += " " + typeset.Clean(l.Instance)
	}
	rest = p.Word(leftWords[l.Reason])
	if !l.Detail.IsZero() {
		rest += p.Colon() + typeset.Clean(p.Word(l.Detail))
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
