package render

import (
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// beneath are the sentences below a budget: on each neighbour, which the plan does
// not change, and on shared memory that the limit does not bound.
func (p *page) beneath(b plan.Budget) []string {
	var out []string
	if b.Outside > 0 {
		out = append(out, p.say("show/budget/outside", "The shared memory, {size}, lies in huge pages, which are not charged to the control group: the memory of the host bounds it.", "size", b.Outside))
	}
	if b.OthersReason != "" {
		out = append(out, p.word(b.OthersWhy))
	}
	for _, n := range b.Neighbours {
		out = append(out, p.neighbour(n))
	}
	return out
}

func (p *page) neighbour(n memory.Neighbour) string {
	name := clean(n.Instance)
	if !n.Running {
		name = p.say("show/budget/not_running", "{instance} (does not run now, and is started with the host)", "instance", name)
	}
	switch {
	case !n.Known && n.Take > 0:
		return p.say("show/budget/neighbour_holds", "{instance}: how far it may grow is not known ({reason}); it counts with {size}, what it holds now rounded up.",
			"instance", name, "reason", n.Reason, "size", n.Take)
	case !n.Known:
		return p.say("show/budget/neighbour_unknown", "{instance}: how far it may grow is not known ({reason}); it does not count.", "instance", name, "reason", n.Reason)
	case n.Shared == 0:
		return p.say("show/budget/neighbour_limit", "{instance} may take {size}, the limit of its control group.", "instance", name, "size", n.Take)
	case n.Limit > 0:
		return p.say("show/budget/neighbour_within", "{instance} may take {size} by its settings within the limit of its control group of {limit}.", "instance", name, "size", n.Take, "limit", n.Limit)
	}
	return p.say("show/budget/neighbour", "{instance} may take {size} by its settings: {shared} of shared memory, and the rest with every connection at work.", "instance", name, "size", n.Take, "shared", n.Shared)
}

// BudgetBeneath are the sentences below a budget.
func (t Told) BudgetBeneath(b plan.Budget) []string { return t.p.beneath(b) }
